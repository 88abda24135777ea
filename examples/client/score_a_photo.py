"""Reads a photo, scores the hand, and answers the question about the winning tile where there is
one.

python examples/client/score_a_photo.py PHOTO [--rules ID] [--address URL] [--key KEY]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from hupai_client import Client, Json, Problem


def main() -> int:
    """Exit code 0 with a score, 1 without."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("photo")
    parser.add_argument("--rules", default="mcr-1998")
    parser.add_argument("--address", default="http://127.0.0.1:8000")
    parser.add_argument("--key", default=None)
    given = parser.parse_args()
    try:
        with Client(given.address, given.key) as hupai:
            return tell(hupai, hupai.hands.read_and_score(given.photo, given.rules))
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1


def tell(hupai: Client, answer: Json) -> int:
    """Print what was read and what it scores."""
    for problem in answer["reading"]["problems"]:
        print(f"{problem['severity']}: {problem['message']}")
    result = answer["result"]
    if result is None:
        print("no legal hand was read")
        return 1
    if result["score"] is None:
        question = result["questions"][0]
        print(question["message"])
        for option in question["options"]:
            print(f"  {option['tile']}: {option['total']} {option['unit']}")
        likeliest = question["options"][0]
        result = hupai.hands.score(
            result["rules"], notation=likeliest["notation"], circumstances=result["circumstances"]
        )
    score = result["score"]
    print(f"{result['notation']}: {score['total']} {score['unit']}")
    for fan in score["fans"]:
        print(f"  {fan['points']} x {fan['count']} {fan['en']} {fan['zh']}, {fan['clause']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
