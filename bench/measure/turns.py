"""Contenders take turns, so that a machine that slows down slows all of them."""
SLOW_MS = 2000      # what takes longer needs --slow-rounds only
QUICK_MS = 200      # what takes less is given time to settle
SETTLE_MS = 25


def sample(session, contender, table='arrays', settle=0):
    """Milliseconds of one run."""
    return session.ms(contender.engine or 'auto', contender.sql, table, settle)


def in_turn(contenders, take, rounds, slow_rounds=None):
    """The samples of each contender, which take(contender, settle) takes.

    A round before the first one warms up.  What is slow has little to warm up,
    so its time in that round counts.
    """
    samples, settle, most = {}, {}, {}
    for c in contenders:
        first = take(c, 0)
        slow = slow_rounds and first > SLOW_MS
        samples[c] = [first] if slow else []
        most[c] = slow_rounds if slow else rounds
        settle[c] = SETTLE_MS if first < QUICK_MS else 0
    for _ in range(rounds):
        for c in contenders:
            if len(samples[c]) < most[c]:
                samples[c].append(take(c, settle[c]))
    return samples
