"""Checklist rewards for TRL's GRPOTrainer, from a running `diffsieve reward --serve` (docs/reward.md)."""

import json
import urllib.error
import urllib.request


def checklist_reward(url, judge=None, token=None, timeout=660):
    """The reward function: `url` is the line that the server prints; the dataset has a column `checklist`.

    `judge(completion, checklist)` says of each item whether the review addresses it; without one the server's own judge
    decides, which has to be chosen there (`--judge lexical` or `--judge model`). A refusal is an error that says why, and never
    a reward. `timeout`, in seconds, is longer than the server's own for a model (`--seconds`, 600).
    """
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def reward(completions, checklist, **_):
        body = {"completions": completions, "checklists": checklist}
        if judge:
            body["verdicts"] = [judge(*pair) for pair in zip(completions, checklist)]
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with opener.open(request, timeout=timeout) as response:
                return json.load(response)["rewards"]
        except urllib.error.HTTPError as refusal:
            why = refusal.read().decode(errors="replace")
            raise OSError(f"no rewards: {refusal.code}: {why}") from None

    return reward
