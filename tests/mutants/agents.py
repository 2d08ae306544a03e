"""Breaks of solvers, planners, oracles, hindsight, plain rules, and networks."""

from tests.mutants import mutants

PYRAMID, TOUR = "agents/solitaire_agents/pyramid", "agents/solitaire_agents/tour_infernale"

_PYRAMID = (
    *mutants(
        f"{PYRAMID}/solver/search.py",
        "agents/pyramid/test_solver.py",
        (
            "a later visit that has seen the same cards is no worse",
            "if old_clock <= clock and old_spent <= spent:",
            "if old_spent <= spent:",
        ),
        ("with the pyramid cleared the bonus is lost", "return question.bonus[clock // STEPS] - (", "return 0 - ("),
    ),
    *mutants(
        f"{PYRAMID}/solver/search.py",
        "agents/pyramid/test_solver.py::test_share_of_deals_that_can_be_won",  # no line is to be had of what is wrong
        ("what lies between two cards of the stock does not matter", "    if between & ~KINGS:", "    if False:"),
    ),
    *mutants(
        f"{PYRAMID}/solver/settle.py",
        "agents/pyramid/test_solver.py",
        ("a king buried in the last waste is discarded", "buried = position[3] == passes and", "buried = False and"),
        ("one bonus for all passes", "question.bonus[k - this_pass] = CLEARED_BONUS[k - 1]", "question.bonus[:] = 50"),
    ),
    *mutants(
        f"{PYRAMID}/solver/settle.py",
        "agents/pyramid/test_solver.py::test_a_limit_of_nodes_proves_nothing",
        ("a limit of nodes proves a loss", "status = UNKNOWN if not proved", "status = IMPOSSIBLE if not proved"),
    ),
    *mutants(
        f"{PYRAMID}/solver/bounds.py",
        "agents/pyramid/test_solver.py",
        ("the bound is one card too low", "price = count(stay) + kings", "price = 1 + count(stay) + kings"),
    ),
    *mutants(
        f"{PYRAMID}/values.py",
        "agents/pyramid/test_values.py",
        ("the last card stays hidden", "    if hidden == 1:\n", "    if hidden == 0:\n"),
        (
            "the waste is turned over the wrong way",
            "after[_STOCK + k] = observed[_WASTE + size - 1 - k]",
            "after[_STOCK + k] = observed[_WASTE + k]",
        ),
        ("a card matches what covers it", "(not _RELATED[place[low, a], place[high, b]]) <<", "1 <<"),
        ("lower ranks are told apart", "alone = row & (row - 1) == 0 or column", "alone = column"),
        ("nothing moves in the mirror", "np.arange(first, first + row + 1)[::-1]", "np.arange(first, first + row + 1)"),
    ),
    *mutants(
        f"{PYRAMID}/by_value.py",
        "agents/pyramid/test_values.py",
        ("the last move is taken", "if best < 0 or value > highest:", "if True:"),
        ("lost moves are taken", "kept[known] &= (ratings == best) | (best == 0)", "pass"),
        ("moves are left out by the worst rating", "ratings.max(axis=1, keep", "ratings.min(axis=1, keep"),
        ("kings wait", "                return action  # never a loss", "                pass"),
        ("moves left out are told a value", "observation, kept, values[0])", "observation, action_mask, values[0])"),
    ),
    *mutants(
        f"{PYRAMID}/self_play.py",
        "agents/pyramid/test_values.py",
        ("what came of a random move teaches", "np.where(random, best, best + mix", "np.where(False, best, best + mix"),
        ("the result teaches nothing", "best + mix * (target[games] - best)", "best"),
        ("a random move is the first", "if before == int(luck * moves):", "if True:"),
        ("no mirror images", "inputs[mirrored] = _MIRROR[inputs[mirrored]]", "pass"),
    ),
    *mutants(
        f"{PYRAMID}/hindsight.py",
        "agents/pyramid/test_hindsight.py::test_of_equals_it_prefers_a_discard",
        ("no preference for discards", "*= PATIENCE[self._options.objective]", "*= 1"),
        ("hardly any preference for discards", '"win": 0.85,', '"win": 0.99,'),
    ),
    *mutants(
        f"{PYRAMID}/hindsight.py",
        "agents/pyramid/test_hindsight.py::test_plays_as_well_as_ever",
        ("what the solver leaves open counts as a win", "np.array([1, 0, 0.7])\n", "np.array([1, 0, 1])\n"),
    ),
    *mutants(
        f"{PYRAMID}/hindsight.py",
        "agents/pyramid/test_hindsight.py::test_for_the_score_an_earlier_clearing_is_worth_more",
        ("clearing in pass 1 counts with all its bonus", "chance * points.cleared[last - 1]", "chance * 15"),
        ("that no card is left does not count", "np.minimum(gone, chance) * points", "0 * gone * points"),
    ),
    *mutants(
        f"{PYRAMID}/hindsight.py",
        "agents/pyramid/test_planner.py::test_plays_as_well_as_ever",
        ("that no card is left counts without the pyramid", "np.minimum(gone, chance) * points", "gone * points"),
    ),
    *mutants(
        f"{PYRAMID}/solver/moves.py",
        "agents/pyramid/test_hindsight.py",
        ("a state is won if it was won earlier", "if clock <= label >> 12:", "if clock >= label >> 12:"),
        ("a state is lost if it is lost later", "elif label >> 12 <= clock:", "elif label >> 12 >= clock:"),
        ("what a search cut short has met is lost", "bucket[k, 1] = -1", "pass"),
        ("a redeal changes no clock", "STEPS * (moves[k, 3] - position[3]) + pointer", "pointer"),
    ),
    *mutants(
        f"{PYRAMID}/planner.py",
        "agents/pyramid/test_planner.py::test_takes_the_mean_over_the_orders",
        (
            "the maximum over sampled orders, not the mean",
            "ratings.mean(axis=0)",
            "ratings.max(axis=0)",
        ),
    ),
    *mutants(
        f"{PYRAMID}/planner.py",
        "agents/pyramid/test_planner.py::test_samples_every_order_alike "
        "agents/pyramid/test_planner.py::test_plays_as_well_as_ever",
        ("a biased shuffle", "random_below(random, i - first + 1)", "random_below(random, i - first)"),
        ("no order is sampled", "_shuffle(orders, end - hidden", "_shuffle(orders, end"),
    ),
    *mutants(
        f"{PYRAMID}/planner.py",
        "agents/pyramid/test_planner.py::test_kings_go_at_once",
        ("kings are not discarded at once", "if mask[_KINGS].any():", "if False:"),
    ),
    *mutants(
        f"{PYRAMID}/planner.py",
        "agents/pyramid/test_planner.py::test_plays_like_the_oracle_as_soon_as_one_card_is_hidden",
        ("the last hidden card is taken for another", "1 + unseen[rows].argmax(axis=1)", "unseen[rows].argmax(axis=1)"),
        ("one hidden card is sampled", "known = hidden <= 1", "known = hidden == 0"),
    ),
    *mutants(
        f"{PYRAMID}/score_planner.py",
        "agents/pyramid/test_score_planner.py",
        ("a few orders prove all", "+ ERRORS * errors", "+ 0 * errors"),
        ("few orders prove as much as many", "+ DOUBT**2", "+ 0"),
        ("a dropped move comes back", "kept = mask & (", "kept = ("),
    ),
    *mutants(
        f"{PYRAMID}/oracle.py",
        "agents/test_oracle.py::test_wins_whatever_can_be_won",
        ("the oracle plays for the score only", 'elif options.objective == "win"', "elif False"),
    ),
    *mutants(
        f"{PYRAMID}/oracle.py",
        "agents/test_oracle.py::test_where_no_win_is_left_it_plays_for_the_score",
        ("a lost game is given up", '(self._goal, "score")', "(self._goal, self._goal)"),
    ),
    *mutants(
        f"{PYRAMID}/heuristics.py",
        "agents/test_heuristics.py::test_careful_saves_the_last_partner_of_a_blocked_card",
        ("the last partner of a blocked card goes", "return -1_000 ", "return 1_000 "),
    ),
    *mutants(
        f"{PYRAMID}/heuristics.py",
        "agents/test_heuristics.py::test_rules_of_pyramid_play_as_well_as_ever",
        ("careful does not see what it frees", "freed += free", "freed += 0"),
        ("always the first of equals", "_, skip = random_below(noise, choices)", "skip = 0"),
    ),
)

_TOUR_SOLVER = (
    *mutants(
        f"{TOUR}/bitboard.py",
        "agents/tour_infernale/test_solver.py::test_made_up_positions_agree_with_exhaustive_search",
        ("a card is safe though others may need it", "rank <= least + 1)", "rank <= least + 3)"),
    ),
    *mutants(
        f"{TOUR}/solver/search.py",
        "agents/tour_infernale/test_solver.py::test_made_up_positions_agree_with_exhaustive_search "
        "agents/tour_infernale/test_solver.py::test_what_was_cut_off_proves_nothing",
        ("a search that was cut proves a loss", '("unknown" if game.cut else "impossible")', '"impossible"'),
        ("the solver may always redeal", "game.pointer == game.talon_size and this_pass == self._passes", "False"),
    ),
    *mutants(
        f"{TOUR}/solver/search.py",
        "agents/tour_infernale/test_solver.py::test_searches_no_more_than_ever_for_lines_as_short",
        ("the worst positions are kept", "np.argsort(-memory.scores[:n]", "np.argsort(memory.scores[:n]"),
    ),
    *mutants(
        f"{TOUR}/solver/shorten.py",
        "agents/tour_infernale/test_solver.py::test_searches_no_more_than_ever_for_lines_as_short",
        ("lines are not shortened", "while failed < n and tries < MAX_TRIES:", "while False:"),
    ),
    *mutants(
        f"{TOUR}/solver/api.py",
        "agents/tour_infernale/test_solver.py::test_of_two_lines_the_shorter_one_is_given",
        ("the longer of two lines", "shortest = min(line", "shortest = max(line"),
    ),
    *mutants(
        f"{TOUR}/solver/rating.py",
        "agents/tour_infernale/test_solver.py::test_searches_no_more_than_ever_for_lines_as_short",
        ("piles that are missing are for the better", "-0.436, -0.209)", "0.436, 0.209)"),
    ),
)

_TOUR = (
    *mutants(
        f"{TOUR}/reach.py",
        "agents/tour_infernale/test_reach.py agents/tour_infernale/test_values.py",
        (
            "all configurations are new",
            "        if queue[row, 0] == a and",
            "        if False and queue[row, 0] == a and",
        ),
        ("what an earlier call met is known", "    reach.counters[STAMP] += 1\n", ""),
        (
            "safe moves are not taken",
            "        if ups & safe:\n            return end",
            "        if False:\n            return end",
        ),
        ("the waste is not played", "        if top:\n            waiting", "        if False:\n            waiting"),
        ("only moves to other cards count", "(empty and c & x != 0) << ON_BOTTOM", "0 << ON_BOTTOM"),
        (
            "the first configuration stands for all",
            "            most_empty, best = empty, head",
            "            most_empty = empty",
        ),
        ("a component may be of any size", "if end - first < most and end", "if end"),
    ),
    *mutants(
        f"{TOUR}/values.py",
        "agents/tour_infernale/test_values.py",
        (
            "the lowest value is chosen",
            "        if chooser.values[k] > highest:",
            "        if k == 0 or chooser.values[k] < highest:",
        ),
        (
            "suits are told apart by name",
            "places += int(theirs > own or (theirs == own and other < suit))",
            "places += int(other < suit)",
        ),
        (
            "the waste is seen as stock",
            "            place[i] = IN_WASTE + _depth(depth)",
            "            place[i] = UNSEEN",
        ),
    ),
    *mutants(
        f"{TOUR}/by_value.py",
        "agents/tour_infernale/test_by_value.py",
        ("the first candidate is taken", "        if chances > most:", "        if most < 0:"),
        ("the next card is known", "            _mix(order, drawn, cards, random_state(seed, observation))\n", ""),
        (
            "the stock stays as it was mixed last",
            "    order[drawn], order[card] = order[card], order[drawn]\n    return",
            "    return",
        ),
    ),
    *mutants(
        f"{TOUR}/values.py",
        "agents/tour_infernale/test_by_value.py",
        (
            "a win is not played out",
            "    if best >= 0:\n        return int(put_before(reach.queue, reach.components",
            "    if True:\n        return int(put_before(reach.queue, reach.components",
        ),
        (
            "moves come in any order",
            "        line[k], at = queue[at, 4], queue[at, 3]",
            "        line[length - 1 - k], at = queue[at, 4], queue[at, 3]",
        ),
    ),
    *mutants(
        f"{TOUR}/solver/guided.py",
        "agents/tour_infernale/test_solver.py::test_guided_searches_win_what_they_say "
        "agents/tour_infernale/test_solver.py::test_a_wider_guided_search_wins_more",
        ("the lowest values are kept", "np.unique(-values[:number]", "np.unique(values[:number]"),
        ("a row comes from the first", "row[2], i\n", "row[2], 0\n"),
        (
            "a win at the end of the stock is not looked for",
            "            if is_finished(chooser, order, a, b, c):\n",
            "            if False:\n",
        ),
    ),
    *mutants(
        f"{TOUR}/odds.py",
        "agents/tour_infernale/test_odds.py",
        ("a win in two passes is one in one", " and rule[1] <= passes]", "]"),
        ("a win in one pass says nothing of two", "rule[1] <= passes]", "rule[1] == passes]"),
        ("what is open counts as a win", "ANSWERS[found[:, 0]]", "WINNABLE"),
    ),
    *mutants(
        f"{TOUR}/self_play.py",
        "training/learning/test_values.py::test_it_learns",
        ("wins teach nothing", "target = 1.0 if is_won else 0.0", "target = 0.0"),
    ),
    *mutants(
        "agents/solitaire_agents/value_network.py",
        "agents/tour_infernale/test_values.py",
        ("the second layer is linear", "max(second[j], np.float32(0))", "second[j]"),
        ("values of other rules are played", "        if known != played:", "        if False:"),
        ("values of another game are played", '    if card["game"] != kit.game.name:', "    if False:"),
    ),
    *mutants(
        "agents/solitaire_agents/trained.py",
        "agents/tour_infernale/test_values.py",
        ("weights may be infinite", " or not np.isfinite(weights[name]).all()", ""),
        ("weights may be of any type", "if not known or not np", "if not np"),
    ),
    *mutants(
        f"{TOUR}/rollouts.py",
        "agents/tour_infernale/test_planner.py::test_plays_as_well_as_ever",
        ("all lost games are worth the same", "WIN, CARD, MOVE = 1.0, 1e-3,", "WIN, CARD, MOVE = 1.0, 0.0,"),
        ("moves cost nothing", "1e-3, -1e-5", "1e-3, 0.0"),
    ),
    *mutants(
        f"{TOUR}/planner.py",
        "agents/tour_infernale/test_planner.py::test_plays_as_well_as_ever",
        (
            "each candidate meets an order of its own",
            "                values[k] += roll_out",
            "                random = _shuffle(search, random)\n                values[k] += roll_out",
        ),
        ("the worst candidates stay", "> (values[ranking[best]], -ranking", "< (values[ranking[best]], -ranking"),
        ("those that stay meet no more orders", "orders * GROWTH, rounds - 1", "orders, rounds - 1"),
        (
            "a biased shuffle of the stock",
            "random_below(random, last - drawn + 1)",
            "random_below(random, last - drawn)",
        ),
    ),
    *mutants(
        f"{TOUR}/beam_search.py",
        "agents/tour_infernale/test_beam_search.py::test_finds_the_fewest_moves_of_few_cards "
        "agents/tour_infernale/test_beam_search.py::test_takes_as_few_moves_as_ever",
        ("of equal positions the one with most moves", "argsort(states[:, _MOVES]", "argsort(-states[:, _MOVES]"),
        ("the beam keeps the worst", "argsort(states[:, _TOTAL]", "argsort(-states[:, _TOTAL]"),
        ("a bound that is too high", "moves + 1 + NUM_CARDS - count", "moves + 4 + NUM_CARDS - count"),
    ),
    *mutants(
        f"{TOUR}/oracle.py",
        "agents/tour_infernale/test_beam_search.py::test_takes_as_few_moves_as_ever",
        ("a beam of one position", "width=BEAM", "width=1"),
    ),
    *mutants(
        f"{TOUR}/thrifty.py",
        "agents/test_heuristics.py::test_rules_of_la_tour_infernale_play_as_well_as_ever",
        ("thrifty does not see what bars a card", "- bars -", "-"),
    ),
    *mutants(
        f"{TOUR}/swift.py",
        "agents/test_heuristics.py::test_rules_of_la_tour_infernale_play_as_well_as_ever",
        ("swift counts no buried cards", "BURIED * (count", "0 * (count"),
    ),
    *mutants(
        f"{TOUR}/heuristics.py",
        "agents/test_heuristics.py::test_rules_of_la_tour_infernale_play_as_well_as_ever",
        ("tidy gives every card a pile", "return bool(empty > 1 or", "return bool(True or"),
    ),
)

_NETWORKS = (
    *mutants(
        "agents/solitaire_agents/networks.py",
        "agents/test_networks.py",
        ("no place hears of another", "self.hear(relations", "self.hear(0 * relations"),
        (
            "a move's places are mixed up",
            "self.view.first * cards.shape[1] + self.view.second",
            "self.view.second * cards.shape[1] + self.view.first",
        ),
        ("the policy does not start close to uniform", "-1e-3, 1e-3", "-1.0, 1.0"),
    ),
    *mutants(
        f"{PYRAMID}/view.py",
        "agents/pyramid/test_view.py",
        ("covered cards count as available", "present * (covering == 0)", "present * (covering <= 1)"),
        ("partners that lie above or below count", "- relations[:, :, _BLOCKED]", "- 0 * relations[:, :, _BLOCKED]"),
        ("a card frees whatever it covers", "(covering[:, :28] == 1)", "(covering[:, :28] >= 1)"),
    ),
    *mutants(
        f"{TOUR}/view.py",
        "agents/tour_infernale/test_view.py",
        ("a card fits on those below it", "== ranks[:, :, None] + 1)", "== ranks[:, :, None] - 1)"),
        ("the waste is upside down", "self._where(waste, depth)", "self._where(waste, 1 - depth)"),
        ("a card is ready one rank late", "            distance == 1,", "            distance == 2,"),
    ),
    *mutants(
        "agents/solitaire_agents/policy.py",
        "agents/test_policy.py::test_moves_are_drawn_by_their_probabilities "
        "agents/test_policy.py::test_a_seed_gives_its_own_draws_again",
        ("moves are not drawn by their probabilities", "logits - torch.log(-torch", "logits + torch.log(-torch"),
        ("a seed does not restart the draws", "= torch.Generator().manual_seed(seed)", "= torch.Generator()"),
    ),
)

AGENTS = (*_PYRAMID, *_TOUR_SOLVER, *_TOUR, *_NETWORKS)
