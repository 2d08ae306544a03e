"""Breaks of the declared games, and of the agents and the solver that are made from a declaration."""

from tests.mutants import mutants

_GAMES, _AGENTS = "envs/solitaire_envs/piles", "agents/solitaire_agents/piles"
_RULES = "envs/test_playthroughs.py envs/test_piles.py"

PILES = (
    *mutants(
        f"{_GAMES}/rules.py",
        _RULES,
        ("cards come back from foundations where they must not", "end = NOWHERE if rules.returns else", "end ="),
        ("parts of a pile move where only whole piles may", "and not is_undermost(state, place, card))", "and False)"),
        ("a redeal goes on with the pass", "            state.current_pass += 1\n", ""),
        ("whole piles change places with empty ones", "(whole or stays_alike(state, place, card))", "whole"),
        ("a draw turns one card over", "range(min(rules.draw, state.stock_size))", "range(min(1, state.stock_size))"),
        ("all cells may be used", "range(CELL, CELL + state.num_cells)", "range(CELL, CELL + CELLS)"),
        ("empty piles stay empty", "        if REFILLS:\n            refill(state)\n", ""),
        ("a move stands twice", "if is_as_high(state, line):\n                        continue", "pass"),
        (
            "a card that comes back keeps its points",
            "return -int(source >= FOUNDATION)\n        if",
            "return 0\n        if",
        ),
    ),
    *mutants(
        f"{_GAMES}/rules.py",
        "agents/piles/test_solver.py::test_the_reference_agrees_all_along_a_win",
        ("a run of twelve goes up", "state.runs[pile] == NUM_RANKS", "state.runs[pile] >= NUM_RANKS - 1"),
    ),
    *mutants(
        f"{_GAMES}/view.py",
        f"{_RULES} envs/test_imagination.py",
        ("pass 2 hides what pass 1 has shown", "state.current_pass > 1", "state.current_pass > 2"),
        ("the whole reserve is seen", "is_open or place >= state.reserve_size - 1", "True"),
        ("an imagined stock is never known", "new = state.current_pass == 1", "new = True"),
        ("face-down cards are open to memory", "card) if is_open or card == EMPTY else UNSEEN", "card)"),
        ("a declared game's waste is open to 'table'", "if place < state.waste_size - 1:", "if False:"),
        ("the imagined waste lies upside down", "first - 1 - place] = rel", "first - state.waste_size + place] = rel"),
    ),
    *mutants(
        f"{_AGENTS}/progress.py",
        "agents/piles/test_choices.py",
        ("positions with other piles are the same", "hash_ += RANDOM[card, below]", "hash_ += RANDOM[card, 0]"),
    ),
    *mutants(
        f"{_AGENTS}/dominances.py",
        "agents/piles/test_dominances.py",
        ("cards that come back are not needed", "            if shape.returns:\n", "            if False:\n"),
        (
            "safe as soon as next in declared games",
            "safe &= state.foundations[line] >= NEED[card, line]",
            "safe &= True",
        ),
        ("the top of a declared waste is played unasked", "state.where[card] == WASTE and rules.draw > 1", "False"),
    ),
    *mutants(
        f"{_AGENTS}/candidates.py",
        "agents/piles/test_dominances.py",
        ("safe cards are candidates like others", "            if only >= 0:\n", "            if False:\n"),
    ),
    *mutants(
        f"{_AGENTS}/inputs.py",
        "agents/piles/test_choices.py::test_the_mirror_image_is_that_of_suits_that_change_places",
        (
            "suits of declared games change places one by one",
            "[3, 2, 1, 0] if shape.game.suits == 4",
            "[2, 3, 0, 1] if shape.game.suits == 4",
        ),
    ),
    *mutants(
        f"{_AGENTS}/waiting.py",
        "agents/piles/test_waiting.py",
        ("a number of a declared pile is seen", "on[n] = DEPTH + downs *", "on[n] = DEPTH + pile *"),
        ("what cannot come up has a place", "now += kind == THIS_PASS", "now += 1"),
        ("kings wait for kings", "if hosts[card, 0] == EMPTY:", "if False:"),
        ("the second card stands first", "first, second = kind, first", "first, second = first, kind"),
    ),
    *mutants(
        f"{_AGENTS}/solver.py",
        "agents/piles/test_solver.py::test_the_searches_share_the_limit",
        ("small limits are none", "max(1, budget // 8)", "budget // 8"),
        ("the rest of the limit is not used", "(first, 10 * first, most)", "(first, 10 * first)"),
    ),
    *mutants(
        "agents/solitaire_agents/kit.py",
        "agents/piles/test_kit.py",
        (
            "the solver takes over from the start",
            "if self.solver and self.game.unseen.stop else",
            "if self.solver else",
        ),
        (
            "a lost game is played by the solver",
            "return found.actions if found.status is Status.SOLVED else None",
            "return found.actions",
        ),
    ),
    *mutants(
        "agents/solitaire_agents/oracle.py",
        "agents/test_oracle.py",
        ("an oracle passes for fair", "not game.unseen.stop if fair is None else fair", "True"),
        ("no rule stands in", "if self._otherwise is None:", "if True:"),
    ),
    *mutants(
        f"{_AGENTS}/fair_optimum.py",
        "agents/piles/test_fair_optimum.py",
        ("only one of the cards is drawn that can be", "<< ranks[k]", "<< ranks[0]"),
        ("what can be reached later counts one card alone", "* len(ranks)), ranks,", "), ranks[:1],"),
        ("a draw stays for the next stock", "            table.draws[heights] = 0\n", ""),
        ("cards that are twice in the stock count once", "(held[number, more] + 1) /", "np.ones(len(more)) /"),
    ),
    *mutants(
        f"{_AGENTS}/fair_player.py",
        "agents/piles/test_fair_player.py",
        ("it plays to lose", "if later > chance:", "if later >= 0:"),
        ("it plays by the order of the stock that it is shown", "rank[in_stock]", "rank[in_stock[:1]]"),
    ),
)
