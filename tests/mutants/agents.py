"""Breaks of solvers, planners, oracles, plain rules, and what plays by a network."""

from tests.mutants import mutants

TOUR = "agents/solitaire_agents/tour_infernale"

_TOUR_SOLVER = (
    *mutants(
        f"{TOUR}/bitboard.py",
        "agents/tour_infernale/test_solver.py::test_made_up_positions_agree_with_exhaustive_search",
        ("a card is safe though others may need it", "rank <= least + 1)", "rank <= least + 3)"),
    ),
    *mutants(
        f"{TOUR}/explore.py",
        "agents/tour_infernale/test_solver.py::test_made_up_positions_agree_with_exhaustive_search",
        ("the waste's top starts no pile", "if bases or empty:", "if bases:"),
        ("cards go to empty piles only from the waste", "targets |= 1 << ON_BOTTOM", "targets |= 0"),
        (
            "cards go up only from the first configuration",
            "tops = tops_of(board)\n            ups = (tops | rising)",
            "tops = tops_of(board)\n            ups = (tops * (rising > 0) | rising)",
        ),
    ),
    *mutants(
        f"{TOUR}/solver/memory.py",
        "agents/tour_infernale/test_solver.py::test_made_up_positions_agree_with_exhaustive_search",
        ("configurations with two words alike are one", " and table[i].c == c:", ":"),
    ),
    *mutants(
        f"{TOUR}/solver/search.py",
        "agents/tour_infernale/test_solver.py::test_made_up_positions_agree_with_exhaustive_search "
        "agents/tour_infernale/test_solver.py::test_what_was_cut_off_proves_nothing",
        (
            "a search that was cut proves a loss",
            "Status.UNKNOWN if progress.cut else Status.IMPOSSIBLE",
            "Status.IMPOSSIBLE",
        ),
        (
            "the solver may always redeal",
            "progress.pointer == progress.talon_size and this_pass == self._passes",
            "False",
        ),
    ),
    *mutants(
        f"{TOUR}/solver/search.py",
        "agents/tour_infernale/test_solver.py::test_searches_no_more_than_ever_for_lines_as_short",
        ("the worst positions are kept", "np.argsort(-memory.found", "np.argsort(memory.found"),
    ),
    *mutants(
        f"{TOUR}/solver/rating.py",
        "agents/tour_infernale/test_solver.py::test_searches_no_more_than_ever_for_lines_as_short",
        ("with a redeal left, cards in the tableau count nothing", "_ON_TABLE = 2, 1", "_ON_TABLE = 2, 0"),
    ),
)

_TOUR = (
    *mutants(
        f"{TOUR}/reach.py",
        "agents/tour_infernale/test_reach.py agents/tour_infernale/test_choices.py",
        (
            "all configurations are new",
            "        if holds(queue[",
            "        if False and holds(queue[",
        ),
        (
            "what an earlier call met is known",
            "    progress.stamp += 1\n    progress.queued = progress.waiting",
            "    progress.stamp = 1\n    progress.queued = progress.waiting",
        ),
        (
            "the first configuration stands for all",
            "            most_empty, best = empty, k",
            "            most_empty = empty",
        ),
        ("a component may be of any size", "min(first + most, CONFIGURATIONS)", "CONFIGURATIONS"),
    ),
    *mutants(
        f"{TOUR}/explore.py",
        "agents/tour_infernale/test_reach.py agents/tour_infernale/test_choices.py",
        ("safe moves are not taken", "            if ups & safe:\n", "            if False:\n"),
        ("the waste is not played", "            if top:  # all", "            if False:  # all"),
        ("only moves to other cards count", "            if empty and (board.c", "            if False and (board.c"),
    ),
    *mutants(
        f"{TOUR}/inputs.py",
        "agents/tour_infernale/test_choices.py",
        (
            "suits are told apart by name",
            "is_before = _progress(heights, tableau, waste, other) >= own",
            "is_before = True",
        ),
        (
            "the waste is seen as stock",
            "            storage.place[i] = IN_WASTE + _depth(depth)",
            "            storage.place[i] = IN_STOCK",
        ),
        (
            "after a redeal the waste is still there",
            "    if now.end == BY_REDEAL:\n        drawn, known",
            "    if False:\n        drawn, known",
        ),
        ("moves count in a limit of passes, too", "return n + 3 + int(redeals < 0)", "return n + 4"),
    ),
    *mutants(
        f"{TOUR}/candidates.py",
        "agents/tour_infernale/test_choices.py",
        (
            "moves come in any order",
            "        path[j], row = row.move",
            "        path[length - 1 - j], row = row.move",
        ),
        ("the order of a stock that nobody has seen is known", "    if now.pass_number > 1:", "    if True:"),
        ("a win within reach is one of many", "        return _only(storage, BY_WIN, -1 - found)", "        pass"),
        ("to stay is a line of no moves", "(moves > 0 or not in_place) and", ""),
        ("the rule does not play on", "            if won:", "            if False:"),
    ),
    *mutants(
        f"{TOUR}/solver/guided.py",
        "agents/tour_infernale/test_solver.py::test_guided_searches_win_what_they_say "
        "agents/tour_infernale/test_solver.py::test_a_wider_guided_search_wins_more",
        ("the lowest values are kept", "np.unique(-found[", "np.unique(found["),
        (
            "a row comes from the first",
            "found[number].parent, found[number].value = i, ",
            "found[number].parent, found[number].value = 0, ",
        ),
        (
            "a win at the end of the stock is not looked for",
            "            if is_finished(network, scratch, board):\n",
            "            if False:\n",
        ),
    ),
    *mutants(
        f"{TOUR}/beam_search.py",
        "agents/tour_infernale/test_beam_search.py::test_finds_the_fewest_moves_of_few_cards "
        "agents/tour_infernale/test_beam_search.py::test_takes_as_few_moves_as_ever",
        ("of equal positions the one with most moves", 'argsort(states["moves"]', 'argsort(-states["moves"]'),
        ("the beam keeps the worst", 'argsort(states["total"]', 'argsort(-states["total"]'),
        ("a bound that is too high", "moves + 1 + NUM_CARDS - count", "moves + 4 + NUM_CARDS - count"),
    ),
    *mutants(
        f"{TOUR}/solver/api.py",
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
        ("greedy prefers an empty pile", "== EMPTY else 2", "!= EMPTY else 2"),
    ),
)

HERE = "agents/solitaire_agents"

_TRAINED = (
    *mutants(
        f"{HERE}/network.py",
        "agents/test_network.py",
        ("the second layer is linear", "max(second[j], np.float32(0))", "second[j]"),
        ("sums below zero count", "units += sums[h] > 0", "units += 1"),
        ("the last units are left out", "for k in range(whole, units):", "for k in range(units, units):"),
        (
            "both heads have the layers of the first",
            "network.second[head], network.last[head]",
            "network.second[0], network.last[head]",
        ),
        ("four rows of a sum are left out", "range(n - n % 8, n - n % 4, 4)", "range(n, n, 4)"),
        ("the last rows of a sum are left out", "range(n - n % 4, n)", "range(n, n)"),
        ("an untrained policy is far from uniform", '    arrays["last"][POLICY] *= 0.1\n', ""),
    ),
    *mutants(
        f"{HERE}/choices.py",
        "agents/test_choices.py",
        (
            "values below zero have inputs of other slots",
            "min(max(storage.after[slot], 0),",
            "min(storage.after[slot],",
        ),
        ("counters have inputs without end", "high = np.minimum(high, HIGHEST)", "pass"),
        ("an unseen card looks like the highest", "high[high == unseen_card - 1] = unseen_card", "pass"),
        ("moves of a choice add up", "        steps.states[1] = steps.states[0]\n", ""),
    ),
    *mutants(
        f"{HERE}/choosing.py",
        "agents/test_choosing.py",
        (
            "inputs of the first two are shared",
            "if seen[on[j]] == clock + candidates + k:",
            "if seen[on[j]] >= clock + 2 + k:",
        ),
        ("what was shared before is shared still", "        scratch.clock[0] = clock + 2 * candidates + 2\n", ""),
        ("the bias is left out", "        copy(network.bias, common)\n", "        common[:] = 0\n"),
        ("candidates add up", "scratch.sizes[k], scratch.logits[k] = rest, 0.0", "scratch.sizes[k] = rest"),
        (
            "noise makes no difference",
            "if scratch.logits[k] + noise[i, k] > highest:",
            "if scratch.logits[k] > highest:",
        ),
        ("the first logit counts as the best", "best[i] = max(best[i], scratch.logits[k])", "pass"),
        ("the shortlist is of any candidates", "if scratch.logits[k] > scratch.logits[best]:", "if False:"),
        ("rows run over", "if size > len(row):", "if size > len(row) + 1:"),
        ("a line is not followed", "if j < lengths[i] - 1:", "if False:"),
    ),
    *mutants(
        f"{HERE}/choosing.py",
        "agents/test_trained_agent.py::test_a_position_is_rated_as_the_mean_over_both_of_its_images",
        ("what is shared is not mirrored", "scratch.shared[j] = scratch.mirror[scratch.shared[j]]", "pass"),
        ("one image counts twice", "                scratch.logits[k] /= 2\n", "                pass\n"),
    ),
    *mutants(
        f"{HERE}/candidate_player.py",
        "agents/test_trained_agent.py",
        ("lines are begun again and again", "            if longer.any():", "            if False:"),
        (
            "games after the first thousand are not played",
            "        for start in range(0, len(asked), BATCH):",
            "        for start in range(0, min(len(asked), BATCH), BATCH):",
        ),
    ),
    *mutants(
        f"{HERE}/trained_agent.py",
        "agents/test_trained_agent.py agents/pyramid/test_bounds.py",
        (
            "candidates are drawn by other probabilities",
            "self._rng.gumbel(size=noise.shape)",
            "self._rng.normal(size=noise.shape)",
        ),
        (
            "a seed does not restart the draws",
            "self._rng = np.random.default_rng(seed)",
            "self._rng = np.random.default_rng()",
        ),
        ("bounds are applied against one's will", "if bounds and choices.new_bounds", "if choices.new_bounds"),
        (
            "moves left out are told a value",
            "means = np.full(len(action_mask), np.nan)",
            "means = np.where(action_mask, 0.0, np.nan)",
        ),
        (
            "a position is worth what its best candidate is",
            "(chances / chances.sum()) @ self",
            "(chances == chances.max()) @ self",
        ),
        ("a calibration is used without the bounds too", "bounds or choices.new_bounds is None", "True"),
    ),
    *mutants(
        f"{HERE}/line_follower.py",
        "agents/test_line_follower.py",
        ("plans are kept for ever", "        if len(self) > CAPACITY:", "        if False:"),
        ("a position keeps its oldest plan", "self.update(line)", "self.update({**dict(line), **self})"),
        ("the last hidden card is taken for another", "unseen.argmax() + 1", "unseen.argmax() + 2"),
        ("the last hidden card is not known", "if unseen.sum() == 1 else", "if False else"),
        ("a series is no game of its own", "observation[: self._imagined.game.observation_size]", "observation"),
    ),
    *mutants(
        f"{HERE}/trained.py",
        "agents/test_trained_agent.py",
        ("weights may be infinite", " or not np.isfinite(weights[name]).all()", ""),
        ("weights may be of any type", "if not known or not np", "if not np"),
        ("other rules are played", 'return dict(choices.rules) in card["rules"]', "return True"),
        ("another game is played", '    if card["game"] != game.name:', "    if False:"),
        ("widths may be of any size", " or not all(1 <= width <= MAX_WIDTH for width in widths)", ""),
    ),
    *mutants(
        f"{HERE}/text_agent.py",
        "agents/test_text_agent.py",
        ("answers are kept and not read", "if key not in self._known:", "if True:"),
        ("the budget counts answers only", "self._spent += agent.cost(answer)", "self._spent += 1"),
        ("the first line is the move", 'splitlines() or [""])[-1]', 'splitlines() or [""])[0]'),
        ("a conversation goes on in the next deal", " or engine.states.moves[game] == 0:", ":"),
        ("a wrong answer is not told", "said + table", "table"),
        (
            "an agent is asked once too often",
            "self._illegal < agent.max_illegal_answers",
            "self._illegal <= agent.max_illegal_answers",
        ),
        ("answers are forgotten", '{"role": "assistant", "content": answer}', "self._messages.pop()"),
    ),
    *mutants(
        f"{HERE}/self_play.py",
        "agents/test_self_play.py",
        ("moves after the end count", "moves += int(going.sum())", "moves += int((lengths > move).sum())"),
        (
            "what came of a random choice teaches",
            "np.where(random, value, value + td_lambda",
            "np.where(False, value, value + td_lambda",
        ),
        ("the result teaches nothing", "value + td_lambda * (target[games] - value)", "value"),
        ("moves that were made count", "target[games] / discounts", "target[games]"),
        ("targets are in the wrong order", "np.concatenate(targets[::-1])", "np.concatenate(targets)"),
        (
            "random choices favour the first",
            "_AT_RANDOM * rng.random((int(random.sum()), choices.most_candidates))",
            "_AT_RANDOM / (1 + np.arange(choices.most_candidates))",
        ),
        ("no mirror images", "inputs[mirrored] = choices.mirror[inputs[mirrored]]", "pass"),
        ("games given up have no score", "outcomes[name][games] = outcomes[games, field]", "rewards[games] = 0"),
        ("a line runs on into the next episode", "(lengths > move) & ~ended", "(lengths > move)"),
    ),
)

AGENTS = (*_TOUR_SOLVER, *_TOUR, *_TRAINED)
