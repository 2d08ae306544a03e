"""Breaks of imitation, PPO's environment, runs, statistics, results and reports."""

from tests.mutants import mutants

LEARNING, EVALUATION = "training/solitaire_training/learning", "training/solitaire_training/evaluation"
REPORT = "training/solitaire_training/report"

_LEARNING = (
    *mutants(
        f"{LEARNING}/imitate.py",
        "training/learning/test_imitate.py",
        ("returns run on across the ends of episodes", "gamma * goes_on * value", "gamma * value"),
        ("returns are not discounted", "reward + self._config.gamma * goes_on", "reward + goes_on"),
        ("what was cut off brings nothing more", "            if cut:\n", "            if False:\n"),
        ("the teacher plays all games", "actions[:own] = self._student.act(", "self._student.act("),
        ("every choice counts the same", "weight = stake / _shares(batch)", "weight = torch.ones_like(stake)"),
        ("what is at stake counts twice", "weight = stake / _shares(batch)", "weight = stake"),
        ("all positions are learned from", "clamp(min=LEAST_SHARE)", "clamp(min=1)"),
        ("nothing is seen in a mirror", "if mirror and epoch % 2", "if False"),
        ("a wrong move costs nothing", "batch.ratings - worst[:, None]", "batch.ratings"),
        ("the learning rate does not fall", "(1 - 0.9 * number / windows)", "1"),
    ),
    *mutants(
        f"{LEARNING}/sb3_vec_env.py",
        "training/learning/test_sb3_vec_env.py",
        (
            "the last observation is of the next game",
            "buffers.final_observations[index]",
            "buffers.observations[index]",
        ),
        (
            "observations change behind one's back",
            "buffers.observations.copy(), rewards.astype",
            "buffers.observations, rewards.astype",
        ),
        ("returns are not restarted", "self.returns[dones] = 0.0", "pass"),
        (
            "the books scale the rewards",
            "self.returns += buffers.rewards",
            "self.returns += buffers.rewards * self._reward_scale",
        ),
        ("every seed plays the same deals", "np.random.SeedSequence(seed)", "np.random.SeedSequence(0)"),
        ("what was cut off is said to go on", "[index]) and self._gamma < 1", "[index])"),
        ("moves without a choice are asked for", "if not self._decisions_only:", "if True:"),
        (
            "the rewards of moves without a choice are lost",
            "rewards += buffers.rewards",
            "rewards[:] = buffers.rewards",
        ),
        ("what a position was worth before costs nothing", "rewards -= worth * self.ratings.max(axis=1)", "pass"),
        ("what it is worth now is not discounted", "rewards += self._gamma * worth", "rewards += worth"),
        (
            "a game that has ended is worth what the next is",
            "self.ratings.max(axis=1) * ~dones",
            "self.ratings.max(axis=1)",
        ),
        ("the referee's scale is another", "worth = self._reward_scale * referee.worth", "worth = referee.worth"),
        ("the referee is asked about hopeless games", "dones | self.ratings.any(axis=1)", "dones | True"),
        ("lost games go on", "        if referee.complete:", "        if False:"),
        ("lost deals are played", "while self.referee is not None and", "while False and"),
    ),
    *mutants(
        f"{LEARNING}/model.py",
        "training/learning/test_model.py",
        ("a cut ends no episode at discount 1", "gamma=config.gamma,\n        decisions_only", "decisions_only"),
        ("a move without a choice is never a step", "decisions_only=config.gamma == 1", "decisions_only=True"),
        ("the learning rate stays where it starts", "end + (start - end) * max(0.0, remaining)", "start"),
        ("lambda is not passed on", "gae_lambda=config.gae_lambda", "gae_lambda=0.95"),
    ),
    *mutants(
        f"{LEARNING}/checkpoint_file.py",
        "training/learning/test_checkpoint.py::test_the_optimiser_goes_on_as_it_was "
        "training/learning/test_values.py::test_a_killed_run_ends_like_one_left_alone",
        ("the optimiser is not restored", '{"state": slots,', '{"state": {},'),
    ),
    *mutants(
        f"{LEARNING}/values.py",
        "training/learning/test_values.py",
        (
            "the values of a run that goes on are new",
            '            self._values.load_state_dict(_named(tensors, "network."))\n',
            "",
        ),
        ("the network that plays is forgotten", 'self._player = _named(tensors, "player.")', "pass"),
        ("the games so far are forgotten", "        self._saved = tensors\n", "        pass\n"),
        ("values learn on test deals", " + np.uint64(FIRST_RANDOM_DEAL)\n", " % np.uint64(1_000)\n"),
        ("seeds of slices depend on nothing", "rng.integers(0, 2**63, len(slices)).tolist()", "[0] * len(slices)"),
        (
            "the learning rate of values does not fall",
            "done * (config.learning_rate_end",
            "0 * (config.learning_rate_end",
        ),
        ("the values are not written at the end", "            raise\n    run.write()\n", "            raise\n"),
    ),
    *mutants(
        f"{LEARNING}/checkpoint.py",
        "training/learning/test_checkpoint.py::test_the_optimiser_goes_on_as_it_was "
        "training/learning/test_checkpoint.py::test_the_counters_go_on_as_they_were",
        ("the steps so far are forgotten", "setattr(model, attribute, int(tensors[name]))", "int(tensors[name])"),
    ),
    *mutants(
        f"{LEARNING}/checkpoint.py",
        "training/learning/test_checkpoint.py::test_a_killed_run_ends_like_one_left_alone",
        ("the games under way are not restored", "        _restore_games(model, tensors)\n", ""),
        ("random states are not restored", "        _restore_random_states(tensors)\n", ""),
        ("episodes begin where a run goes on", 'if "starts" in tensors:', "if False:"),
    ),
    *mutants(
        f"{LEARNING}/imitate.py",
        "training/learning/test_checkpoint.py::test_a_killed_run_ends_like_one_left_alone",
        ("random numbers go on over windows", "        lessons.seed(config.seed + model.taught)\n", ""),
    ),
    *mutants(
        f"{LEARNING}/eval_callback.py",
        "training/learning/test_checkpoint.py::test_a_killed_run_ends_like_one_left_alone",
        ("evaluations are counted from where a run goes on", "if self._taught.evaluated < 0:", "if True:"),
    ),
    *mutants(
        f"{LEARNING}/tune.py",
        "training/learning/test_tune.py::test_a_killed_study_ends_like_one_left_alone",
        ("a torn journal is left as it is", "        if whole != content:", "        if False:"),
        (
            "trials begin anew",
            "resume, given_up = (run / CHECKPOINT).exists(), False",
            "resume, given_up = False, False",
        ),
        (
            "what was found before a kill is forgotten",
            "for point in read_evaluations(run):",
            "for point in ():",
        ),
    ),
    *mutants(
        f"{LEARNING}/tune.py",
        "training/learning/test_tune.py::test_a_trial_that_falls_behind_is_given_up",
        ("nothing is given up", "if self.trial.should_prune():", "if False:"),
    ),
    *mutants(
        f"{LEARNING}/tune.py",
        "training/learning/test_tune.py::test_a_figure_may_be_lowered",
        ("trials are judged by their first evaluation", "self.found[max(self.found)]", "self.found[min(self.found)]"),
        ("a goal to be lowered is raised", 'JOURNAL, "minimize" if', 'JOURNAL, "maximize" if'),
    ),
    *mutants(
        f"{LEARNING}/tune.py",
        "training/learning/test_tune.py::test_the_best_trial_is_reported_and_a_study_goes_on",
        (
            "the last learning rate stays",
            "config.learning_rate_end * (chosen",
            "config.learning_rate_end * 1 + 0 * (chosen",
        ),
    ),
)

_EVALUATION = (
    *mutants(
        f"{EVALUATION}/statistics.py",
        "training/evaluation/test_statistics.py",
        ("another interval than Wilson's", 'method="wilson"', 'method="exact"'),
        (
            "intervals of few values are too narrow",
            "stats.norm.sf(wider * stats.t.ppf((1 + LEVEL) / 2, free))",
            "stats.norm.sf(1.96)",
        ),
        (
            "a mean in place of the interquartile mean",
            "centre = float(stats.trim_mean(values, 0.25))",
            "centre = float(values.mean())",
        ),
        (
            "seeds are drawn across environments",
            "runs[random.integers(0, len(runs), (RESAMPLES, len(runs)))] for runs",
            "values[random.integers(0, len(values), (RESAMPLES, len(runs)))] for runs",
        ),
        ("Holm's p-values fall", "worst = max(worst, min(1.0,", "worst = max(0.0, min(1.0,"),
        ("every comparison is corrected alike", "(len(order) - rank) * p_values", "len(order) * p_values"),
        ("McNemar's test counts all deals", "stats.binomtest(gained, gained + lost)", "stats.binomtest(gained, count)"),
        ("the last block is not whole", "whole = len(values) // size * size", "whole = len(values)"),
    ),
    *mutants(
        f"{EVALUATION}/metrics.py",
        "training/evaluation/test_metrics.py::test_metrics_are_those_of_the_deals_in_their_stratum "
        "training/evaluation/test_metrics.py::test_differences_are_ours_less_the_baseline_with_p_values_for_all_agents "
        "training/evaluation/test_metrics.py::test_a_recipe_has_interquartile_means_in_each_stratum",
        (
            "the share of winnable deals won counts all deals",
            'share(_column(outcomes, "won")[winnable])',
            'share(_column(outcomes, "won"))',
        ),
        (
            "means of strata are over all deals",
            "mean(_column(outcomes, name)[inside]), count",
            "mean(_column(outcomes, name)), count",
        ),
        ("p-values are not corrected", "holm(values.to_list())", "values.to_list()"),
        (
            "differences have the wrong sign",
            "paired(_column(ours, name), _column(theirs, name))",
            "paired(_column(theirs, name), _column(ours, name))",
        ),
        (
            "recipes are averaged over all strata",
            "for (stratum, metric), same in rows",
            "for (stratum, metric), same in rows[rows.stratum == ALL]",
        ),
    ),
    *mutants(
        f"{EVALUATION}/labels.py",
        "training/evaluation/test_labels.py",
        ("labels are in the order of their file", 'on="deal", how="left")', 'on="deal", how="right")'),
        ("open deals count as lost", '(labels["winnable"] == LOST)', '(labels["winnable"] != WINNABLE)'),
        ("a stratum lacks its last deals", "(values >= low) & (values <= end)", "(values >= low) & (values < end)"),
    ),
    *mutants(
        f"{EVALUATION}/chunks.py",
        "training/evaluation/test_chunks.py",
        ("a chunk with too few deals is accepted", "outcomes.shape == chunk.deals.shape and", ""),
        ("checksums are not compared", "if hashlib.sha256(content).digest() != checksum:", "if False:"),
    ),
    *mutants(
        f"{EVALUATION}/pool.py",
        "training/evaluation/test_pool.py",
        ("the piece of a killed process is lost", "worker.begin_again()", "busy.remove(worker)"),
        ("a piece may kill for ever", "if self._tries == TRIES:", "if False:"),
        ("processes outlive their parent", "        os._exit(1)\n", "        return\n"),
    ),
    *mutants(
        "agents/solitaire_agents/files.py",
        "agents/test_files.py",
        ("a second writer is let in", "lock.acquire(timeout=wait)", "pass"),
        (
            "what a writer left stays",
            "        if owner.isdecimal() and not _is_alive(int(owner)):",
            "        if False:",
        ),
        ("what a writer left in a subfolder stays", "path.rglob(pattern) if", "path.glob(pattern) if"),
        ("half a line runs on into the next", 'b"\\n" * torn + ', ""),
    ),
    *mutants(
        f"{EVALUATION}/parallel.py",
        "training/evaluation/test_parallel.py::test_each_chunk_has_random_numbers_of_its_own",
        (
            "all chunks draw the same random numbers",
            "SeedSequence((chunk.seed, chunk.number))",
            "SeedSequence((chunk.seed, 0))",
        ),
    ),
    *mutants(
        f"{EVALUATION}/play.py",
        "training/evaluation/test_play.py::test_the_same_call_gives_the_same_outcomes",
        ("an agent's random numbers are not restarted", "    agent.seed(seed)\n", ""),
    ),
    *mutants(
        f"{EVALUATION}/store.py",
        "training/evaluation/test_store.py::test_other_sources_of_the_game_make_another_protocol "
        "training/evaluation/test_store.py::test_what_only_one_of_two_protocols_has_is_a_difference "
        "training/evaluation/test_store.py::test_other_versions_and_changed_agents_are_not_mixed "
        "training/evaluation/test_store.py::test_nothing_is_mixed",
        ("the sources of the game are not part of the protocol", "hash_files(sorted(sources))", "hash_files([])"),
        (
            "what only the new protocol has does not matter",
            "[*expected, *(key for key in got if key not in expected)]",
            "expected",
        ),
        ("an agent that has changed is let in", "check_unchanged(stored.get(spec.name, spec), spec.sha256)", "pass"),
        (
            "the order of the deals does not matter",
            "hashlib.sha256(deals.astype",
            "hashlib.sha256(np.sort(deals).astype",
        ),
    ),
    *mutants(
        f"{EVALUATION}/compare.py",
        "training/evaluation/test_compare.py::test_outcomes_are_in_the_order_of_the_deals_whatever_is_done_first "
        "training/evaluation/test_compare.py::test_agents_are_added_to_a_folder "
        "training/evaluation/test_store.py::test_the_result_says_how_to_repeat_it",
        ("chunks are joined as they come", "own.sort(key=lambda one: one.chunk.number)", "pass"),
        ("agents of an earlier comparison are dropped", "(*store.read_agent_specs(folder, env), *found)", "found"),
        (
            "unfair agents are said to be fair",
            "options.information if agent.fair else",
            "options.information if True else",
        ),
    ),
    *mutants(
        f"{EVALUATION}/cycles.py",
        "training/evaluation/test_cycles.py",
        (
            "a lap too many is skipped",
            "int(state.moves)) // lap if lap else 0",
            "int(state.moves)) // lap + 1 if lap else 0",
        ),
        ("long cycles are not found", "if self._steps == self._next_save:", "if False:"),
        (
            "passes are not counted while laps are skipped",
            'for name in ("moves", *self._counters):',
            'for name in ("moves",):',
        ),
    ),
    *mutants(
        f"{EVALUATION}/learning_curve.py",
        "training/evaluation/test_learning_curve.py::test_shares_have_the_intervals_of_shares "
        "training/evaluation/test_learning_curve.py::test_the_later_of_two_evaluations_counts_and_older_names_are_known",
        ("shares have intervals of means", "share(values) if played", "mean(values) if played"),
        (
            "the earlier of two evaluations counts",
            'points[int(point["steps"])] = {**point, "metrics": metrics}',
            'points.setdefault(int(point["steps"]), {**point, "metrics": metrics})',
        ),
    ),
    *mutants(
        "training/solitaire_training/provenance.py",
        "training/test_provenance.py",
        ("changes are not mentioned with the revision", '("+" if git("status", "--porcelain") else "")', '""'),
        (
            "only the last file is hashed",
            "path.read_bytes() for path in paths)",
            "path.read_bytes() for path in paths[-1:])",
        ),
    ),
)

_REPORT = (
    *mutants(
        f"{REPORT}/tables.py",
        "training/report/test_tables.py::test_cells_have_the_interval_and_corrected_p_values",
        (
            "the ends of an interval change places",
            'for name in ("value", "low", "high")',
            'for name in ("value", "high", "low")',
        ),
        ("p-values before their correction", '_p_text(row["p_holm"])', '_p_text(row["p_value"])'),
    ),
    *mutants(
        f"{REPORT}/replays.py",
        "training/report/test_replays.py::test_fair_agents_that_play_the_same_again_are_offered_first "
        "training/report/test_replays.py::test_a_win_a_loss_that_need_not_be_and_the_largest_regret_are_shown "
        "training/report/test_replays.py::test_no_text_ends_the_script_of_the_page",
        ("the smallest regret in place of the largest", "regret.idxmax()", "regret.idxmin()"),
        ("a text may end the page's script", '.replace("<"', '.replace("\\0"'),
        ("unfair agents are shown first", "key=lambda agent: (not agent.fair,", "key=lambda agent: (agent.fair,"),
    ),
    *mutants(
        f"{REPORT}/plots.py",
        "training/report/test_plots.py",
        ("regret falls", "regret = np.sort(best - scores)", "regret = np.sort(scores - best)"),
        ("means of scores are medians", "axes.axvline(scores.mean()", "axes.axvline(scores.median()"),
    ),
    *mutants(
        f"{REPORT}/repeat.py",
        "training/report/test_repeat.py",
        ("a list of deals is taken for a count", "if is_count else 'FILE'", "if True else 'FILE'"),
        ("the seed is not repeated", "--seed {result['seed']}", "--seed 0"),
    ),
)

TRAINING = (*_LEARNING, *_EVALUATION, *_REPORT)
