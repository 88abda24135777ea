"""One-to-one assignment, and how sure each pair of it is.

`least_cost` is the Hungarian method in the form of shortest augmenting paths (Jonker and Volgenant,
A shortest augmenting path algorithm for dense and sparse linear assignment problems, 1987);
`marginals` is Sinkhorn's scaling with bounds on the columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def least_cost(cost: NDArray[np.floating]) -> NDArray[np.intp]:
    """The column of each row, every column used at most once, with the least sum of costs.

    Args:
        cost: shape (n, m), n at most m, finite.

    Returns:
        shape (n,), columns.

    Raises:
        ValueError: more rows than columns.
    """
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows cannot have a column each of {columns}")
    table = np.asarray(cost, np.float64)
    of_row, of_column = np.zeros(rows), np.zeros(columns)
    row_at = np.full(columns, -1)
    for start in range(rows):
        distance = np.full(columns, np.inf)
        before = np.full(columns, -1)
        done = np.zeros(columns, bool)
        row, last, reached = start, -1, 0.0
        while True:
            through = reached + table[row] - of_row[row] - of_column
            shorter = ~done & (through < distance)
            distance[shorter], before[shorter] = through[shorter], last
            column = int(np.where(done, np.inf, distance).argmin())
            reached = float(distance[column])
            done[column] = True
            last = column
            if row_at[column] < 0:
                break
            row = int(row_at[column])
        of_row[start] += reached
        inner = done.copy()
        inner[last] = False
        of_row[row_at[inner]] += reached - distance[inner]
        of_column[inner] -= reached - distance[inner]
        while last >= 0:
            previous = int(before[last])
            row_at[last] = start if previous < 0 else row_at[previous]
            last = previous
    found = np.zeros(rows, np.intp)
    used = row_at >= 0
    found[row_at[used]] = np.nonzero(used)[0]
    return found


def marginals(
    weights: NDArray[np.floating], least: float, most: float, rounds: int = 60
) -> NDArray[np.float64]:
    """Rows scaled to sum to 1 while every column sums to between `least` and `most`, as nearly as
    `rounds` rounds bring it.

    Args:
        weights: shape (n, m), not negative; a row is the distribution of one tile when nothing is
            known of the others.
        least, most: bounds on what a column sums to, how often a face lies on the table.

    Returns:
        shape (n, m), rows sum to 1.
    """
    table = np.asarray(weights, np.float64) + 1e-9
    table /= table.sum(1, keepdims=True)
    for _ in range(rounds):
        sums = table.sum(0)
        table *= np.clip(sums, least, most) / sums
        table /= table.sum(1, keepdims=True)
    return table
