"""Breaks of the solver of Klondike, and of what chooses moves there."""

from tests.mutants import mutants

_FOLDER = "agents/solitaire_agents/klondike"
_TREE = "agents/solitaire_agents/tree.py"

KLONDIKE = (
    *mutants(
        f"{_FOLDER}/solver/bitboard.py",
        "agents/klondike/test_solver.py",
        ("a card goes up for good too soon", "heights >> two & 15) + 1 and", "heights >> two & 15) + 2 and"),
    ),
    *mutants(
        f"{_FOLDER}/solver/level.py",
        "agents/klondike/test_solver.py",
        ("one card of the waste is as good as none", "waste % draw == 0 or", "waste % draw <= 1 or"),
        ("a redeal costs nothing", "min(redeals - (not ahead), total - 1)", "min(redeals, total - 1)"),
        ("the last card can always go", "last if clock == 0 and not game.limited", "last if not game.limited"),
    ),
    *mutants(
        f"{_FOLDER}/solver/components.py",
        "agents/klondike/test_solver.py",
        (
            "the talon's next card goes up without returns",
            "covers_for_good = game.returns and ",
            "covers_for_good = ",
        ),
        ("no pile is emptied for a king", "down & ~lowest if free & KINGS else down", "down & ~lowest"),
        ("no king comes to the pile emptied for it", "found[k, 1] &= KINGS", "found[k, 1] = 0"),
    ),
    *mutants(
        f"{_FOLDER}/solver/hopeless.py",
        "agents/klondike/test_solver.py",
        ("no card of the talon comes up after the next", "taken |= card | previous & can", "taken |= card"),
        ("no card of the talon comes up after one before", " or (taken and card & can):", ":"),
    ),
    *mutants(
        f"{_FOLDER}/solver/components.py",
        "agents/klondike/test_proofs.py::test_relations",
        (
            "the talon's next card goes up whatever it covers",
            "game.returns and is_safe(heights - (1 << 4 * suit), suit)",
            "game.returns",
        ),
    ),
    *mutants(
        f"{_FOLDER}/solver/hopeless.py",
        "agents/klondike/test_proofs.py::test_relations",
        ("a pile that was emptied last is forgotten", " or emptied != was_emptied", ""),
    ),
    *mutants(
        f"{_FOLDER}/solver/api.py",
        "agents/klondike/test_solver.py",
        (
            "an easier game is won",
            "if status is Status.SOLVED and easier == options:",
            "if status is Status.SOLVED and (options := easier):",
        ),
        (
            "a limit of nodes proves a loss in Klondike",
            "Status.UNKNOWN if game.cut or game.depth >= 0 else Status.IMP",
            "Status.IMP",
        ),
    ),
    *mutants(
        f"{_FOLDER}/heuristics.py",
        "agents/klondike/test_heuristics.py",
        ("greedy leaves cards face down", "                rating = 2\n", "                rating = 0\n"),
        ("greedy plays the waste first", "                rating = 1\n", "                rating = 4\n"),
        ("careful prefers the shortest pile", "500 + 10 * _downs(", "590 - 10 * _downs("),
        ("careful holds nothing back", "return bool(RANK[card] <= lowest + 2)", "return True"),
        ("careful holds too much back", "return bool(RANK[card] <= lowest + 2)", "return bool(RANK[card] <= lowest)"),
        ("piles are emptied for nobody", "return 350 * _king_waits(observation)", "return 350"),
        ("runs move for nothing", "return 300 * (is_next and _may_go_up(observation, beneath))", "return 300"),
        (
            "cards come back",
            "    if source >= FOUNDATION:\n        return 0\n",
            "    if source >= FOUNDATION:\n        return 600\n",
        ),
    ),
    *mutants(
        f"{_FOLDER}/heuristics.py",
        "agents/test_heuristics.py::test_rules_of_klondike_play_as_well_as_ever",
        ("careful does not know what will come", "best_rating <= _WAIT and _more", "best_rating < 0 and _more"),
    ),
    *mutants(
        f"{_FOLDER}/candidates.py",
        "agents/klondike/test_candidates.py agents/klondike/test_choices.py",
        ("a stock that nobody has seen is known", "state.current_pass > 1 or stock == 0", "1"),
        ("no card comes up after a redeal", "if now[SEEN] and now[REDEALS] != 0:", "if False:"),
        ("redeals of Klondike without end", "if now[SEEN] and now[REDEALS] != 0:", "if now[SEEN]:"),
        (
            "done cards may not come back",
            "lowest_other >= RANK[card] - 1 and (not returns or",
            "lowest_other >= RANK[card] - 1 and (True or",
        ),
        ("safe as soon as next", "return bool(lowest_other >= RANK[card] - 1 and", "return bool(True and"),
        (
            "the waste's top is played unasked",
            "    for k in range(now[REACHED] if is_won else 0):",
            "    for k in range(now[REACHED]):",
        ),
        ("all is won with draw 3", "(now[DRAWS] == 1 and now[REDEALS] < 0)", "now[REDEALS] < 0"),
        ("all is won with few passes", "(now[DRAWS] == 1 and now[REDEALS] < 0)", "now[DRAWS] == 1"),
        ("nothing is prepared", "MOST_PREPARED: Final = 3", "MOST_PREPARED: Final = 0"),
        ("kings stay on their foundations", "if RANK[card] == NUM_RANKS and empty < PILES:", "if False:"),
        ("cards come back for nothing", "if (turns or work.links[table, RETURNED] == 0) and", "if"),
        ("kings find no empty pile", "if empty < PILES and RANK[bottom] == NUM_RANKS and", "if False and"),
        (
            "kings of the talon find no empty pile",
            "elif empty < PILES and RANK[card] == NUM_RANKS and",
            "elif False and",
        ),
        ("moves that prepare come in reverse", "for j in range(length - 1, -1, -1):", "for j in range(length):"),
    ),
    *mutants(
        "agents/solitaire_agents/choices.py",
        "agents/klondike/test_candidates.py agents/klondike/test_choices.py",
        ("the last card of the stock never comes up", " or place == cards)", ")"),
        ("a redeal is left out", "        line[length] = _REDEAL\n", "        line[length] = _DRAW\n"),
    ),
    *mutants(
        f"{_FOLDER}/choices.py",
        "agents/klondike/test_choices.py",
        (
            "agents for four passes do not play with five in Klondike",
            "min(options.passes, MANY_PASSES)",
            "options.passes",
        ),
    ),
    *mutants(
        f"{_FOLDER}/inputs.py",
        "agents/klondike/test_choices.py",
        (
            "the card played is still in the talon",
            "cards, seen, drawn = cards - 1, seen - 1, place - 1",
            "drawn = place - 1",
        ),
        (
            "a card that is turned up is no longer face down",
            "return source if moved > 0 and",
            "return -1 if moved > 0 and",
        ),
        ("suits change places one by one", ".reshape(4, NUM_RANKS)[::-1].ravel()", ".reshape(4, NUM_RANKS).ravel()"),
        ("cards keep what they lie on in the mirror", "np.array([0, 2, 1])", "np.array([0, 1, 2])"),
        ("a pile's number is seen", "on[n] = _HEIGHT + downs *", "on[n] = _HEIGHT + pile *"),
        ("black and red are told apart", "return KINDS * low + high", "return KINDS * low + high * IS_RED[SUIT[card]]"),
        ("redeals of a line are not counted", "redeals -= redeals > 0", "redeals -= 0"),
    ),
    *mutants(
        _TREE,
        "agents/klondike/test_planner.py::test_worlds_that_look_alike_share_a_node "
        "agents/klondike/test_planner.py::test_what_a_world_turns_up_leads_to_another_node",
        ("each pass has nodes of its own", "seen[slot] = min(seen[slot], same_from[slot])", "pass"),
        ("all positions share a node", "for slot in range(1, len(seen), 2):", "for slot in range(1, 1, 2):"),
        (
            "positions that differ in even slots share a node",
            "next_random(even ^ next_random(",
            "next_random(next_random(",
        ),
        ("hidden cards stay unseen in worlds", "tree.cards[:hidden], tree.worlds[0]", "tree.cards[:0], tree.worlds[0]"),
    ),
    *mutants(
        _TREE,
        "agents/klondike/test_planner.py::test_a_simulation_counts_what_its_new_node_is_worth "
        "agents/klondike/test_planner.py::test_edges_are_compared_in_the_same_worlds "
        "agents/klondike/test_planner.py::test_the_highest_mean_among_the_contenders_is_taken",
        ("what simulations find is not counted", "tree.sums[node, edge] += value", "tree.sums[node, edge] += 0.5"),
        ("each simulation has a world of its own", "stream + np.uint64(world)", "stream + np.uint64(simulation)"),
        ("all edges may be chosen", "CONTENDER * tree.visits", "0 * tree.visits"),
        ("the edge with the most visits is taken", "CONTENDER * tree.visits", "1 * tree.visits"),
        ("the most visited edge is not found", "if tree.visits[0, edge] > tree.visits[0, best]:", "if False:"),
    ),
    *mutants(
        "agents/solitaire_agents/tree_planner.py",
        "agents/klondike/test_planner.py::test_with_one_card_hidden_it_plays_as_if_all_were_known",
        ("the last hidden card is not told", "unseen].sum() <= 1)", "unseen].sum() <= 0)"),
    ),
    *mutants(
        "agents/solitaire_agents/tree_planner.py",
        "agents/test_judge.py::test_once_all_is_known_the_solver_tells_the_chances_of_a_tree",
        (
            "chances stay estimates where all is known",
            "if self._choices.chance and self._knows",
            "if False and self._knows",
        ),
    ),
    *mutants(
        "agents/solitaire_agents/choices.py",
        "agents/tour_infernale/test_planner.py::test_tells_moves_where_few_count",
        ("values are told as they are", "if self.chance or self.normalised_return is not wins:", "if True:"),
    ),
    *mutants(
        f"{_FOLDER}/solving.py",
        "agents/klondike/test_planner.py::test_plays_exactly_once_all_is_known",
        ("the solver's line is not played", "else found.actions or None", "else None"),
    ),
)
