"""Breaks of the solver of Pyramid, and of what chooses moves there."""

from tests.mutants import mutants

_FOLDER = "agents/solitaire_agents/pyramid"

PYRAMID = (
    *mutants(
        f"{_FOLDER}/solver/search.py",
        "agents/pyramid/test_solver.py",
        (
            "a later visit that has seen the same cards is no worse",
            "elif label >> 12 <= clock:",
            "elif True:",
        ),
        ("with the pyramid cleared the bonus is lost", "return problem.bonus[clock // STEPS] - (", "return 0 - ("),
    ),
    *mutants(
        f"{_FOLDER}/solver/search.py",
        "agents/pyramid/test_solver.py::test_share_of_deals_that_can_be_won",  # no line is to be had of what is wrong
        ("what lies between two cards of the stock does not matter", "    if between & ~KINGS:", "    if False:"),
        ("a card that others of the waste cover is at hand", "if pointer > last or between &", "if between &"),
        (
            "a card may stay where the bonus alone is enough",
            "bonus[clock // STEPS] == need",
            "bonus[clock // STEPS] >= need",
        ),
    ),
    *mutants(
        f"{_FOLDER}/solver/settle.py",
        "agents/pyramid/test_solver.py",
        (
            "a king buried in the last waste is discarded",
            "buried = state.current_pass == rules.passes and",
            "buried = False and",
        ),
        ("one bonus for all passes", "problem.bonus[k - this_pass] = CLEARED_BONUS[k - 1]", "problem.bonus[:] = 50"),
    ),
    *mutants(
        f"{_FOLDER}/solver/settle.py",
        "agents/pyramid/test_solver.py::test_a_limit_of_nodes_proves_nothing",
        ("a limit of nodes proves a loss", "status = UNKNOWN if not proved", "status = IMPOSSIBLE if not proved"),
    ),
    *mutants(
        f"{_FOLDER}/solver/relaxation.py",
        "agents/pyramid/test_solver.py",
        ("the bound is one card too low", "price = count_ones(stay) + kings", "price = 1 + count_ones(stay) + kings"),
        ("the relaxed game plays only the waste's top", "while low > 0 and rest & wall == 0:", "while False:"),
        (
            "a card that was discarded there is no partner",
            "rest = _pair_off(problem, cards,",
            "rest = _pair_off(problem, rest,",
        ),
        ("a bonus that is just enough is too low", "limit - 1] - price < need:", "limit - 1] - price <= need:"),
        (
            "in the last pass two cards of the waste meet",
            "partners[i] & card[j] and index[j] >= first",
            "partners[i] & card[j]",
        ),
    ),
    *mutants(
        f"{_FOLDER}/solver/tables.py",
        "agents/pyramid/test_solver.py",
        ("a card that may stay may not", "if spare >> x & 1 and least", "if False and least"),
    ),
    *mutants(
        f"{_FOLDER}/choices.py",
        "agents/pyramid/test_choices.py",
        ("the last card stays hidden", "    if hidden == 1:\n", "    if hidden == 0:\n"),
        ("the last card lies in two places", "        seen[AT.unseen + last - 1] = 0\n", ""),
        ("a card matches what covers it", "(not _RELATED[place[low, a], place[high, b]]) <<", "1 <<"),
        ("lower ranks are told apart", "alone = row & (row - 1) == 0 or column", "alone = column"),
        ("nothing moves in the mirror", "np.arange(first, first + row + 1)[::-1]", "np.arange(first, first + row + 1)"),
        ("kings wait", "if mask[action] and SECOND[action] == NO_PLACE and", "if False and"),
        ("a move is described from what was seen before", "    _look(storage.steps, observation)\n", ""),
        ("a king that ends the game goes unasked", "and FIRST[action] == 0)", "and False)"),
        ("rules are not seen", "        if storage.rules[rule]:", "        if False:"),
        ("a lost game for the score is worth something", "+ NUM_CARDS) / (_BEST", "+ NUM_CARDS + 1) / (_BEST"),
        ("agents for five passes do not play with six", "min(options.passes, MANY_PASSES)", "options.passes"),
    ),
    *mutants(
        f"{_FOLDER}/bounds.py",
        "agents/pyramid/test_bounds.py",
        ("lost moves are taken", "good = ratings == best", "good = ratings >= 0"),
        ("moves are left out by the worst rating", "ratings.max(axis=1, keep", "ratings.min(axis=1, keep"),
        ("where all is lost nothing is kept", " | (best == 0)", " & (best > 0)"),
        ("a game that is lost goes on", " & (best > 0)", ""),
    ),
    *mutants(
        f"{_FOLDER}/hindsight.py",
        "agents/pyramid/test_hindsight.py::test_for_the_score_an_earlier_clearing_is_worth_more",
        ("clearing in pass 1 counts with all its bonus", "chance * points.cleared[last - 1]", "chance * 15"),
        ("that no card is left does not count", "np.minimum(gone, chance) * points", "0 * gone * points"),
    ),
    *mutants(
        f"{_FOLDER}/hindsight.py",
        "agents/pyramid/test_planner.py::test_plays_as_well_as_ever",
        ("that no card is left counts without the pyramid", "np.minimum(gone, chance) * points", "gone * points"),
        ("what the solver leaves open counts as a win", "np.array([0, 1, 0.7])\n", "np.array([0, 1, 1])\n"),
    ),
    *mutants(
        f"{_FOLDER}/solver/search.py",
        "agents/pyramid/test_hindsight.py",
        ("a state is won if it was won earlier", "if clock <= label >> 12:", "if clock >= label >> 12:"),
    ),
    *mutants(
        f"{_FOLDER}/solver/moves.py",
        "agents/pyramid/test_hindsight.py",
        ("what a search cut short has met is lost", "bucket[k, 1] = -1", "pass"),
        ("a redeal changes no clock", "STEPS * (moves[k].current_pass - state.current_pass) + pointer", "pointer"),
    ),
    *mutants(
        f"{_FOLDER}/first_pass.py",
        "agents/pyramid/test_fair_bound.py",
        ("no pair of stock and waste", "if _is_pair(problem, here, waste, top):", "if False:"),
        ("no pair within the pyramid", "range(GROUPS if partners & ~open_now else 0)", "range(0)"),
    ),
    *mutants(
        f"{_FOLDER}/fair_bound.py",
        "agents/pyramid/test_fair_bound.py",
        (
            "the mean is over ranks, not cards",
            "hidden, used = self.hidden[place[came]]",
            "hidden, used = self.hidden[place[came]] > 0",
        ),
        (
            "the card that came could not have come",
            "self.hidden[place[came]], values",
            "self.hidden[place[came] + 1], values",
        ),
        (
            "no penalty after a pair of stock and waste",
            "best[found.paired[at]] - penalties[found.paired[at]]",
            "best[found.paired[at]]",
        ),
        (
            "regrets of some orders only",
            "more, orders = _next_order(made.stock, first + 1, end)",
            "more, orders = False",
        ),
    ),
    *mutants(
        f"{_FOLDER}/planner.py",
        "agents/pyramid/test_planner.py::test_takes_the_mean_over_the_orders",
        ("the maximum over sampled orders, not the mean", "ratings.mean(axis=0)", "ratings.max(axis=0)"),
    ),
    *mutants(
        f"{_FOLDER}/planner.py",
        "agents/pyramid/test_planner.py::test_samples_every_order_alike "
        "agents/pyramid/test_planner.py::test_plays_as_well_as_ever",
        ("one hidden card stays in place", "orders.shape[1], random)", "orders.shape[1] - 1, random)"),
        ("no order is sampled", "        _shuffle(orders, self._seed, observation)\n", ""),
    ),
    *mutants(
        f"{_FOLDER}/planner.py",
        "agents/pyramid/test_planner.py::test_kings_go_at_once",
        ("kings are not discarded at once", "if kings.any() else", "if False else"),
    ),
    *mutants(
        f"{_FOLDER}/planner.py",
        "agents/pyramid/test_planner.py::test_plays_like_the_oracle_as_soon_as_one_card_is_hidden",
        ("one hidden card is sampled", "known = hidden <= 1", "known = hidden == 0"),
    ),
    *mutants(
        f"{_FOLDER}/hindsight.py",
        "agents/pyramid/test_hindsight.py::test_in_one_pass_each_card_left_counts_once_the_pyramid_stays",
        ("cards left count nothing in one pass", "if points.cards:", "if False:"),
    ),
    *mutants(
        f"{_FOLDER}/planner.py",
        "agents/pyramid/test_planner.py",
        ("a few orders prove all", "+ ERRORS * errors", "+ 0 * errors"),
        ("few orders prove as much as many", "+ DOUBT**2", "+ 0"),
        ("a dropped move comes back", "kept = mask & (", "kept = ("),
    ),
    *mutants(
        f"{_FOLDER}/solving.py",
        "agents/test_oracle.py::test_wins_whatever_can_be_won",
        ("the oracle plays for the score only", "goal=options.objective, memory", 'goal="score", memory'),
    ),
    *mutants(
        f"{_FOLDER}/solving.py",
        "agents/test_oracle.py::test_where_no_win_is_left_it_plays_for_the_score",
        ("a lost game is given up", "return found if found.actions else", "return found if True else"),
    ),
    *mutants(
        f"{_FOLDER}/solving.py",
        "agents/test_oracle.py::test_where_the_pyramid_is_enough_it_is_cleared_early_for_the_score",
        ("the oracle clears the pyramid at leisure", "goal=options.objective, memory", 'goal="win", memory'),
    ),
    *mutants(
        f"{_FOLDER}/heuristics.py",
        "agents/test_heuristics.py::test_careful_saves_the_last_partner_of_a_blocked_card",
        ("the last partner of a blocked card goes", "return -1_000 ", "return 1_000 "),
    ),
    *mutants(
        f"{_FOLDER}/heuristics.py",
        "agents/test_heuristics.py::test_rules_of_pyramid_play_as_well_as_ever",
        ("careful does not see what it frees", "freed += free", "freed += 0"),
        ("always the first of equals", "_, skip = random_below(noise, choices)", "skip = 0"),
    ),
)
