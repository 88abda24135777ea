"""Connected components of a small graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def connected(linked: NDArray[np.bool_]) -> list[list[int]]:
    """Return the connected components of n nodes, each sorted, in the order of their first nodes.

    `scipy.sparse.csgraph` does the same, but takes a second to import and, for so few nodes,
    several times as long.

    Args:
        linked: shape (n, n), True where two nodes are linked, in either order.
    """
    beside: list[list[int]] = [[] for _ in linked]
    for i, j in np.argwhere(linked).tolist():
        beside[i].append(j)
        beside[j].append(i)
    groups: list[list[int]] = []
    reached: set[int] = set()
    for first in range(len(beside)):
        if first not in reached:
            group = [first]
            reached.add(first)
            for member in group:
                more = [k for k in dict.fromkeys(beside[member]) if k not in reached]
                group += more
                reached.update(more)
            groups.append(sorted(group))
    return groups
