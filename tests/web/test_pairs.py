"""Games that differ only in hidden cards are alike in all that the page can learn; `make page` compares thousands."""

from tests.web.pairs import GAMES, pairs

SEEDS = {game: range(6) for game in GAMES}


def test_the_server_tells_nothing_of_hidden_cards() -> None:
    with pairs() as compared:
        for game, rules in GAMES.items():
            for seed in SEEDS[game]:
                compared.check(rules[seed % len(rules)], seed)
        assert compared.answers > 12 * sum(map(len, SEEDS.values()))
