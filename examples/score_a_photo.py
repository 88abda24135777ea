"""Send a photo to a running service and print what the hand scores.

    python examples/score_a_photo.py PHOTO [--rules ID] [--address URL] [--key KEY]

Needs only httpx. Exit code 0 with a score, 1 without.
"""

import argparse
import sys
from pathlib import Path

import httpx

parser = argparse.ArgumentParser(description="Score the hand on a photo.")
parser.add_argument("photo", type=Path)
parser.add_argument("--rules", default="mcr-1998")
parser.add_argument("--address", default="http://127.0.0.1:8000")
parser.add_argument("--key", help="API key, where the service asks for one")
given = parser.parse_args()

headers = {"Authorization": f"Bearer {given.key}"} if given.key else {}
try:
    answer = httpx.post(
        f"{given.address}/v1/hands",
        files={"photo": (given.photo.name, given.photo.read_bytes())},
        data={"rules": given.rules},
        headers=headers,
        timeout=60,
    )
except OSError as error:
    sys.exit(f"{given.photo}: {error.strerror}")
except httpx.TransportError as error:
    sys.exit(f"No answer from {given.address} ({error}): start it with `hupai serve`.")
if answer.is_error:  # RFC 9457: `type` is stable, `detail` is for people, `advice` says what to do
    problem = answer.json()
    sys.exit(f"{problem['status']} {problem['type']}: {problem['detail']} {problem['advice']}")

hand = answer.json()
for problem in hand["reading"]["problems"]:
    print(f"{problem['severity']} {problem['code']}: {problem['message']}")
result = hand["result"]
if result is None:
    sys.exit("No legal hand was read.")
print(result["notation"])
if result["score"] is not None:  # null while it is open which tile won
    score = result["score"]
    print(f"{score['total']} {score['unit']}, {'legal' if score['legal'] else 'not legal'}")
    for fan in score["fans"]:
        print(f"  {fan['points']} x {fan['count']} {fan['en']} {fan['zh']} ({fan['clause']})")
if question := result["verdict"]["question"]:  # PATCH the hand with an option's `change` to answer
    print(question["message"])
    for option in question["options"]:
        totals = sorted({outcome["total"] for outcome in option["outcomes"]})
        worth = ", ".join(map(str, totals))
        print(f"  {option['label_en']} ({option['probability']:.0%}): {worth}")
sys.exit(0 if result["score"] else 1)
