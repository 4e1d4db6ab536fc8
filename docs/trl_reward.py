"""Checklist rewards for TRL's GRPOTrainer, from a running `diffsieve reward --serve` (docs/reward.md)."""

import json
import urllib.request


def checklist_reward(url, judge=None, token=None):
    """The reward function: `url` is the line that the server prints; the dataset has a column `checklist`.

    `judge(completion, checklist)` says of each item whether the review addresses it; without one the server's own judge
    decides, which has to be chosen there (`--judge lexical`).
    """
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def reward(completions, checklist, **_):
        body = {"completions": completions, "checklists": checklist}
        if judge:
            body["verdicts"] = [judge(*pair) for pair in zip(completions, checklist)]
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with opener.open(request, timeout=120) as response:
            return json.load(response)["rewards"]

    return reward
