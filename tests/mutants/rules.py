"""Breaks of the rules."""

from tests.mutants import mutants

TESTS = (
    "envs/test_playthroughs.py envs/test_cards.py envs/test_series.py envs/test_agreement.py envs/test_properties.py "
    "envs/test_environments.py"
)
IMAGINED = "envs/test_imagination.py"

RULES = (
    *mutants(
        "envs/solitaire_envs/pyramid.py",
        TESTS,
        ("a six does not go with a seven", "range(1, KING // 2 + 1):  # ace", "range(1, KING // 2):  # ace"),
        ("a king in the waste stays", "    if rank == KING:", "    if rank == KING and place == STOCK:"),
        ("the stock's top has to be drawn first", "_allow_top(state, mask, STOCK, stock) |", "False |"),
        ("stock never goes with waste", "and stock and waste and rules.stock_waste_pairs", "and False"),
        ("stock goes with waste whatever the option", "and waste and rules.stock_waste_pairs", "and waste"),
        ("one pass too many", "state.current_pass < rules.passes", "state.current_pass <= rules.passes"),
        (
            "a redeal at any time",
            "    if state.stock_size > 0:\n        mask[DRAW]",
            "    if True:\n        mask[DRAW]",
        ),
        (
            "a redeal turns the order round",
            "= state.waste[STOCK_SIZE - 1 - index]",
            "= state.waste[STOCK_SIZE - state.stock_size + index]",
        ),
        ("one cover gone is enough", "!= NO_PLACE and COVERS[below] & state.pyramid == 0", "!= NO_PLACE"),
        ("the bonus of pass 2 is 30", "[50, 35, 20]", "[50, 30, 20]"),
        (
            "a bonus in every pass",
            "[in_pass - 1]) if 1 <= in_pass <= len(CLEARED_BONUS) else 0",
            "[min(in_pass, 3) - 1]) if in_pass else 0",
        ),
        ("a king counts as two cards", "discarded = 1 if SECOND[action] == NO_PLACE else 2", "discarded = 2"),
        ("clearing ends every game", "if rules.goal == GOAL_PYRAMID and state", "if state"),
        ("clearing ends no game", "if rules.goal == GOAL_PYRAMID and state.pyramid == 0", "if False"),
        ("clearing wins every game", "or state.discarded == NUM_CARDS", "or True"),
        ("the stock is open to memory", "== MEMORY and state.current_pass > 1", "== MEMORY"),
        ("a card turned up stays unseen", "state.unseen[_stock_rank(state)] -= 1", "pass"),
        ("the waste is open to 'table'", "[AT.waste + 1 : AT.waste + max(1, state.waste_size)]", "[0:0]"),
    ),
    *mutants(
        "envs/solitaire_envs/tour_infernale.py",
        TESTS,
        ("a card goes on its own rank", "state.piles_at[rank + 1]", "state.piles_at[rank]"),
        ("a lone card may change places", "state.heights[source] > 1:", "state.heights[source] > 0:"),
        ("no waste card on an empty pile", "if source == WASTE or state.heights", "if state.heights"),
        ("foundations of any suit", "if state.foundations[SUIT[card]] + 1", "if state.foundations[0] + 1"),
        ("redeals without end", "and state.current_pass < rules.passes", "and True"),
        (
            "a redeal turns the order round, here too",
            "+ index] = state.waste[STOCK_SIZE - 1 - index]",
            "+ index] = state.waste[STOCK_SIZE - state.stock_size + index]",
        ),
        (
            "always six piles",
            "    for pile in range(rules.piles):\n        _put",
            "    for pile in range(6):\n        _put",
        ),
        ("won at 51 cards", "cards_up(state) == NUM_CARDS)", "cards_up(state) == NUM_CARDS - 1)"),
        ("a drawn card stays unseen", "state.unseen[card - 1] = 0", "pass"),
    ),
    *mutants(
        "envs/solitaire_envs/klondike.py",
        TESTS + " envs/test_whole_games.py::test_klondike",
        ("a card goes on one of its own colour", "KIND - 2 ^ 1", "KIND - 2"),
        ("a whole pile may change places", " & ~np.int64(state.open_piles)", ""),
        (
            "foundations of any suit, in Klondike too",
            "state.foundations[SUIT[card]] + 1 ==",
            "state.foundations[0] + 1 ==",
        ),
        ("redeals without end, in Klondike too", "and state.current_pass < rules.passes", "and True"),
        ("no card comes back", "(1 << SOURCES) - 1 if rules.returns", "(1 << FOUNDATION) - 1 if rules.returns"),
        ("cards come back whatever the option", "- 1 if rules.returns else", "- 1 if True else"),
        ("kings come back from a game that is won", "        allowed = 0\n", "        pass\n"),
        ("always one card a draw", "min(rules.draw, state.stock_size)", "1"),
        ("a redeal begins no pass", "        state.current_pass += 1\n", ""),
        ("cards that were drawn stay unseen", "state.unseen[state.talon[LEAD + state.waste_size] - 1] = 0", "pass"),
        (
            "cards that move as one change their order",
            "range(taken, taken + count):",
            "range(taken + count - 1, taken - 1, -1):",
        ),
        ("no face-down card is turned up", "    elif state.downs[pile] == 0:", "    elif True:"),
        ("a card that is turned up stays unseen", "    state.unseen[card - 1] = 0\n    _put", "    _put"),
        ("the stock does not close up", "range(first, first + state.stock_size + 1)", "range(first, first)"),
        ("a card that comes back costs nothing", "return -1.0 if", "return 0.0 if"),
        ("Klondike is won at 51 cards", "cards_up(state) == NUM_CARDS", "cards_up(state) == NUM_CARDS - 1"),
    ),
    *mutants(
        "envs/solitaire_envs/game.py",
        IMAGINED,
        ("all hidden places take one card", "return int(cards[taken]), taken + 1", "return int(cards[taken]), taken"),
        ("a pile is filled upside down", "pile[middle - size + index], taken =", "pile[middle - 1 - index], taken ="),
    ),
    *mutants(
        "envs/solitaire_envs/pyramid.py",
        IMAGINED,
        ("an unseen card goes with a king", "if 0 < rank < KING else 0", "if rank else 0"),
        ("imagined cards are never covered", "(COVERS[position] & state.pyramid == 0) << position", "1 << position"),
        (
            "imagined passes begin anew",
            "    state.current_pass = observation[AT.pass_]\n",
            "    state.current_pass = 1\n",
        ),
        ("an imagined pyramid was cleared just now", "    elif not 1 <= state.cleared_in_pass <= ", "    elif 0 <= "),
        (
            "no card of an imagined stock is unseen",
            "STOCK_SIZE if state.current_pass == 1 else 0):",
            "0):",
        ),
    ),
    *mutants(
        "envs/solitaire_envs/tour_infernale.py",
        IMAGINED,
        ("an unseen card may be played", "if EMPTY < card < UNSEEN:", "if card != EMPTY:"),
        ("imagined cards are seen in pass 1", "- 1] = state.current_pass == 1", "- 1] = 0"),
        (
            "'table' hides fewer cards in imagined games",
            "state.unseen[card] & (not is_open)",
            "state.unseen[card] & (rules.information == MEMORY)",
        ),
    ),
    *mutants(
        "envs/solitaire_envs/klondike.py",
        IMAGINED,
        ("a king may leave an imagined pile", "state.open_piles |= (state.downs[pile] == 0) << pile", "pass"),
    ),
    *mutants(
        "envs/solitaire_envs/series.py",
        IMAGINED,
        (
            "an imagined series deals what is known",
            "    state.series, _ = next_random(state.stream)\n",
            "    state.series = 0\n",
        ),
        (
            "an imagined sprint begins anew",
            "    state.moves = rules.budget - observation",
            "    _ = rules.budget - observation",
        ),
    ),
    *mutants(
        "envs/solitaire_envs/imagination.py",
        IMAGINED,
        (
            "hidden cards lie in order",
            "            random = shuffle_cards(cards[each], hidden, random)\n",
            "",
        ),
        (
            "samples know the true number of moves only",
            'names = ("moves", *engine.game.remembered)',
            'names = ("moves",)',
        ),
        (
            "all sampled series go on alike",
            "random, streams[each] = next_random(random)",
            "random, _ = next_random(random)",
        ),
        ("'table' is searched", '    if options.information == "table":', "    if False:"),
        ("a game that is over goes on", "| (states.moves >= limit)", ""),
    ),
    *mutants(
        "envs/solitaire_envs/cards.py",
        IMAGINED,
        ("a biased shuffle", "random_below(state, last + 1)", "random_below(state, last)"),
    ),
    *mutants(
        "envs/solitaire_envs/klondike_table.py",
        TESTS,
        ("a king leaves the cards on it behind", "return int(state.heights[source])", "return 1"),
    ),
    *mutants(
        "envs/solitaire_envs/series.py",
        TESTS,
        ("par needs more than zero", "if state.total >= 0 else", "if state.total > 0 else"),
        (
            "a series deals the same deck again",
            "    shuffle(number, state.deck)",
            "    shuffle(state.deal, state.deck)",
        ),
        (
            "a sprint of one move more",
            "    if state.moves >= rules.budget:\n        mask",
            "    if state.moves > rules.budget:\n        mask",
        ),
    ),
    *mutants(
        "envs/solitaire_envs/engine.py",
        TESTS,
        ("one move more before truncation", "state.moves >= rules.max_moves", "state.moves > rules.max_moves"),
        ("an illegal action is played", "elif inside and mask[action]:", "elif inside:"),
    ),
    *mutants(
        "envs/solitaire_envs/cards.py",
        TESTS,
        ("biased draws", "        while product & low_half < threshold:", "        while False:"),
        ("ten of clubs for nine", '"A23456789TJQK"', '"A2345678T9JQK"'),
    ),
    *mutants(
        "envs/solitaire_envs/cards.py",
        "envs/test_deals.py",
        ("the first of the listed deals alone", "return stream, deals[place]", "return stream, deals[0]"),
    ),
    *mutants(
        "envs/solitaire_envs/catalogue.py",
        "envs/test_deals.py::test_bands_of_one_pass_become_harder_for_a_rule",
        (
            "the hardest deals of one pass count as easy",
            "late = nodes > FIRST_SEARCH",
            "late = nodes > FIRST_SEARCH * 1_000",
        ),
    ),
    *mutants(
        "envs/solitaire_envs/engine.py",
        "envs/test_privileged.py",
        ("no open observation", "observe(all_rules[1], states[i],", "observe(all_rules[0], states[i],"),
    ),
)
