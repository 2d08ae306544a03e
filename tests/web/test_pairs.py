"""Games that differ only in hidden cards are alike in all that the page can learn; `make page` compares thousands."""

from tests.web.pairs import GAMES, pairs

SEEDS = {"pyramid": (10, 340, 2), "tour_infernale": (0, 1, 2), "klondike": (0, 1, 2)}
"""In the first two of Pyramid, one pair's games would be finished by looking ahead, and the other's would not."""


def test_the_server_tells_nothing_of_hidden_cards() -> None:
    with pairs() as compared:
        for game, seeds in SEEDS.items():
            for seed in seeds:
                assert compared.check(GAMES[game][seed % 3], seed) == ""  # no end is certain while cards are hidden
        assert compared.answers == 15 * sum(map(len, SEEDS.values()))
