"""A double-entry ledger kept in SQLite, with amounts in whole cents."""

import sqlite3
import threading
from contextlib import closing

MAX_MEMO_LENGTH = 120
MAX_ENTRY_CENTS = 1_000_000_00

# Whether a debit raises (+1) or lowers (-1) an account of each kind.
DEBIT_SIGN = {
    "asset": 1,
    "expense": 1,
    "liability": -1,
    "equity": -1,
    "income": -1,
}


class LedgerError(Exception):
    """Raised when a posting is refused or cannot be stored."""


class Ledger:
    """Posts transfers between accounts and answers balance questions."""

    def __init__(self, path):
        """Remember the file, which must hold an `entries` table already."""
        self._path = path
        self._lock = threading.Lock()
        self._watchers = []

    def watch(self, callback):
        """Call `callback(debit, credit, cents)` after every posting."""
        with self._lock:
            self._watchers.append(callback)

    def post(self, debit, credit, cents, memo=None):
        """Move `cents` from the `credit` account to the `debit` account."""
        if debit == credit:
            raise LedgerError("an entry needs two different accounts")
        if cents <= 0 or cents > MAX_ENTRY_CENTS:
            raise LedgerError(f"amount out of range: {cents}")
        text = "" if memo is None else memo.strip()[:MAX_MEMO_LENGTH]

        with self._lock:
            with closing(sqlite3.connect(self._path)) as db:
                try:
                    with db:
                        db.execute(
                            "INSERT INTO entries (debit, credit, cents, memo)"
                            " VALUES (?, ?, ?, ?)",
                            (debit, credit, cents, text),
                        )
                except sqlite3.Error as error:
                    raise LedgerError("the entry was not stored") from error
            # Copied so that a callback may register another watcher.
            watchers = list(self._watchers)
        for notify in watchers:
            notify(debit, credit, cents)

    def balance(self, account, kind):
        """Return the balance of `account` in cents, positive when normal."""
        sign = DEBIT_SIGN.get(kind)
        if sign is None:
            raise LedgerError(f"unknown account kind: {kind}")
        with closing(sqlite3.connect(self._path)) as db:
            row = db.execute(
                "SELECT COALESCE(SUM(CASE WHEN debit = ? THEN cents ELSE -cents END), 0)"
                " FROM entries WHERE debit = ? OR credit = ?",
                (account, account, account),
            ).fetchone()
        return sign * row[0]


def split_evenly(cents, parts):
    """Split `cents` into `parts` shares that differ by at most one cent."""
    if parts < 1:
        raise ValueError("parts must be at least 1")
    share, left_over = divmod(cents, parts)
    return [share + 1 if i < left_over else share for i in range(parts)]


def running_totals(amounts, opening=0):
    """Return the balance after each amount, starting from `opening`."""
    totals = []
    current = opening
    for amount in amounts:
        current += amount
        totals.append(current)
    return totals


def matches_statement(expected, actual, tolerance=0.005):
    """Tell whether two statement figures agree to within `tolerance`."""
    return abs(expected - actual) <= tolerance
