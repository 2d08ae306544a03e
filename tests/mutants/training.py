"""Breaks of the learners, their environments, runs, statistics, results and reports."""

from tests.mutants import mutants

LEARNING, EVALUATION = "training/solitaire_training", "training/solitaire_evaluation"
REPORT = "training/solitaire_evaluation/report"

_LEARNING = (
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
            "both_parts(buffers.observations, buffers.privileged)",
            "both_parts(buffers.observations, buffers.privileged, copy=False)",
        ),
        ("returns are not restarted", "self.returns[dones] = self._lengths[dones] = 0", "pass"),
        ("an illegal action is no step", "        self._lengths += 1\n", ""),
        ("the books are kept from evaluations", "wrapper_class is Monitor", "False"),
        (
            "the books scale the rewards",
            "self.returns += buffers.rewards",
            "self.returns += buffers.rewards * self._reward_scale",
        ),
        ("every seed plays the same deals", "np.random.SeedSequence(self._seed)", "np.random.SeedSequence(0)"),
        ("what was cut off is said to go on", "[index]) and self._gamma < 1", "[index])"),
    ),
    *mutants(
        f"{LEARNING}/sb3_vec_env.py",
        "training/learning/test_choice_vec_env.py",
        (
            "all environments draw the same deals",
            "generate_state(self.num_envs, np.uint64)",
            "generate_state(1, np.uint64).repeat(self.num_envs)",
        ),
    ),
    *mutants(
        f"{LEARNING}/choice_vec_env.py",
        "training/learning/test_choice_vec_env.py",
        ("choices do not grow", "if needed > self.rows.shape[1]:", "if False:"),
        ("a rollout forgets what it had before it grew", "np.pad(rows, ", "np.pad(0 * rows, "),
        ("moves without a choice are asked for", "np.flatnonzero(self.counts < 2)", "np.flatnonzero(self.counts < 1)"),
        (
            "what a game came to is overwritten by the next",
            "                ends[ended] = rows",
            "                pass",
        ),
        ("games that end without a choice go on", "ended = ended | over", "pass"),
        (
            "games with nothing left to gain have no score",
            "conclude_given_up(self.engine, lost)",
            "conclude_given_up(self.engine, lost[:0])",
        ),
        ("nothing is mirrored", "rng.random(len(rows)) < 0.5", "rng.random(len(rows)) < 0"),
        (
            "the numbers of inputs are mirrored, too",
            "first, end = 2 + row[0], 2 + row[0]",
            "first, end = 2, 2 + row[0]",
        ),
        ("the same games are mirrored in each step", "        self.steps += 1\n", ""),
        (
            "all play under the first options",
            "each,\n                part.stop - part.start",
            "option_sets[0],\n                part.stop - part.start",
        ),
        ("games that go on are dealt anew", "        self._dealt = True\n", ""),
        ("games go on deals that are not drawn", " or not drawn.all()", ""),
        ("rewards are points", "rewards[part.start + ended] = returns", "rewards[part.start + ended] = 1 + returns"),
    ),
    *mutants(
        f"{LEARNING}/torch_network.py",
        "training/learning/test_torch_network.py",
        (
            "the gradient of a row counts once",
            "                row[h] += gradient[h]",
            "                row[h] = gradient[h]",
        ),
        ("what is shared is left out", "bags[n:] + (bags[:n] + self.bias)[batch.choice]", "bags[n:] + self.bias"),
        ("candidates that are not there may be chosen", "ABSENT = -1e9", "ABSENT = 0.0"),
        ("values come from the policy's layer", "hidden @ self.second[VALUE] +", "hidden @ self.second[POLICY] +"),
        ("the first layer is linear", "hidden = torch.relu(bags[n:]", "hidden = (bags[n:]"),
    ),
    *mutants(
        f"{LEARNING}/sb3_policy.py",
        "training/learning/test_sb3_policy.py",
        ("moves are not drawn by their probabilities", "exponential_().log()", "exponential_()"),
        ("the critic is the best value", "return (log_chances.exp() * values).sum(1)", "return values.max(1).values"),
        ("entropies have the wrong sign", "entropies = -(log_chances", "entropies = (log_chances"),
        (
            "the value is that of the choice, not of what was taken",
            "return _pick(values, actions.long()), _pick",
            "return (log_chances.exp() * values).sum(1), _pick",
        ),
    ),
    *mutants(
        f"{LEARNING}/choice_vec_env.py",
        "training/learning/test_damaged_checkpoints.py::test_checkpoints_that_no_run_writes",
        ("games that nobody has played go on", "if wrong.any() or", "if"),
    ),
    *mutants(
        f"{LEARNING}/checkpoint_file.py",
        "training/learning/test_run.py::test_a_run_that_is_paused_again_and_again_ends_like_one_left_alone "
        "training/learning/test_damaged_checkpoints.py::test_checkpoints_that_no_run_writes "
        "training/learning/test_damaged_checkpoints.py::test_damaged_checkpoints",
        ("the optimiser is not restored", '{"state": slots,', '{"state": {},'),
        ("other types are taken up", "start.dtype != tensor.dtype", "False"),
        ("infinite numbers are taken up", "not tensor.isfinite().all()", "False"),
        ("counts may fall", "not start <= tensor <= MOST", "not tensor <= MOST"),
        ("the checksum is not looked at", '.get("sha256") != _checksum(tensors):', '.get("sha256") is None:'),
    ),
    *mutants(
        f"{LEARNING}/self_play.py",
        "training/learning/test_run.py",
        (
            "the network that plays is forgotten",
            'named(tensors, "player."), "network.")',
            'named(tensors, "network."), "network.")',
        ),
        (
            "the games so far are forgotten",
            'for name in ("games", "decisions", "moves"))',
            'if name != "games" else 0 for name in ("games", "decisions", "moves"))',
        ),
        ("self-play learns on test deals", " + np.uint64(FIRST_RANDOM_DEAL)\n", " % np.uint64(1_000)\n"),
        ("seeds of slices depend on nothing", "rng.integers(0, 2**63, len(slices)).tolist()", "[0] * len(slices)"),
        ("the learning rate of self-play does not fall", "start + self.progress / self.total * (end - start)", "start"),
        ("all games are played under the first options", "self._options[place]", "self._options[0]"),
        ("the first options have all shares", "cut(games, len(self._options))", "[slice(0, games), slice(0, 0)]"),
    ),
    *mutants(
        f"{LEARNING}/ppo.py",
        "training/learning/test_run.py",
        ("the games under way are not restored", "if self.env.steps:", "if False:"),
        (
            "PyTorch's random state is not restored",
            'torch.set_rng_state(tensors["random.torch"])',
            'tensors["random.torch"]',
        ),
        ("NumPy's random state is not restored", 'np.random.set_state(("MT19937"', 'str(("MT19937"'),
        ("the mirror images begin anew", "self.model.num_timesteps // self.env.num_envs", "1"),
        ("the learning rate of PPO stays where it starts", "start + min(1.0,", "start + 0 * min(1.0,"),
    ),
    *mutants(
        "agents/solitaire_agents/network.py",
        "training/learning/test_start.py",
        ("joined networks say the sum", "np.float32(1 / len(networks))", "np.float32(1)"),
        ("joined networks share one half", "width, half = width + w, half + s", "width, half = width + w, half"),
    ),
    *mutants(
        f"{LEARNING}/run.py",
        "training/learning/test_start.py training/learning/test_run.py",
        ("PPO begins with logits as they are", "scale_policy(network, self._config.start_scale)", "network"),
        ("the agent that a run starts from is not scaled", "scale_policy(network, config.start_scale)", "network"),
        (
            "the decisions of self-play are forgotten",
            "return self._decisions_before + self._learner",
            "return self._learner",
        ),
        (
            "evaluations are counted from where a run goes on",
            'float(saved["run.seconds"]), int(saved["run.evaluated"])',
            'float(saved["run.seconds"]), -1',
        ),
        ("Ctrl-C saves nothing", "            self._write()\n            raise\n", "            raise\n"),
        (
            "a new run goes on with the curve of a dead one",
            "            set_aside(folder / EVALUATIONS)",
            "            pass",
        ),
        ("the log is begun anew", '        set_aside(folder / LOGS / "progress.csv")', "        pass"),
        ("a run is written over another", "if not resume and (folder / CHECKPOINT).exists():", "if False:"),
        (
            "the agent at the end is an earlier one",
            "        self._write()\n        return self._decisions",
            "        return self._decisions",
        ),
    ),
    *mutants(
        f"{LEARNING}/learner.py",
        "training/learning/test_run.py::test_the_last_evaluation_is_of_the_agent_that_is_saved "
        "training/learning/test_run.py::test_self_play_alone_ends_in_a_policy_of_values "
        "training/learning/test_run.py::test_ppo_begins_with_the_values_of_self_play_for_logits",
        ("values are no policy", "[[VALUE, VALUE]].copy()", "[[POLICY, VALUE]].copy()"),
        ("values are scaled, too", "    last[POLICY] *= factor\n", "    last *= factor\n"),
    ),
    *mutants(
        f"{LEARNING}/tune.py",
        "training/learning/test_tune.py::test_a_killed_study_ends_like_one_left_alone",
        ("a torn journal is left as it is", "    if journal.exists():", "    if False:"),
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
            "getattr(config, name) * ratio for",
            "getattr(config, name) for",
        ),
    ),
)

_EVALUATION = (
    *mutants(
        f"{EVALUATION}/chat_env.py",
        "training/evaluation/test_chat_env.py",
        (
            "test deals are offered to training",
            'if test else {"train": training',
            'if test else {"test": testing, "train": training',
        ),
        ("all seeds deal the same", "np.random.default_rng(check_seed", "np.random.default_rng(0 * check_seed"),
        ("answers are free", "        self.turns += 1\n", ""),
        ("the potential is kept at the end", '0.0 if self._reward == "shaped" and self.over else', ""),
        ("shaping pays for the deal", 'self._scaled_score() if self._reward == "shaped" else 0.0', "0.0"),
        ("wins are paid from the second on", "won = float(self.over and", "won = float(self.over and self._paid and"),
        ("too many moves are played", "if len(moves) > self._per_turn:", "if False:"),
        ("the limit of turns is one too high", "self.turns >= self.max_turns", "self.turns > self.max_turns"),
        ("environments share a game", "        other._clear()\n", ""),
    ),
    *mutants(
        f"{EVALUATION}/regret.py",
        "training/evaluation/test_chat_env.py",
        ("a line is followed for ever", "self._line[1:] if self._line[:1] == [action] else []", "self._line"),
        ("what is lost can be won again", "lost=before == 0 and self._rate is None", "lost=self._rate is None"),
        ("regret is what is left", "else before - self._best", "else self._best"),
    ),
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
            'rows.groupby(["stratum", "metric"], sort=False)',
            'rows.groupby("metric", sort=False)',
        ),
    ),
    *mutants(
        f"{EVALUATION}/labels.py",
        "training/evaluation/test_labels.py",
        ("labels are in the order of their file", 'on="deal", how="left")', 'on="deal", how="right")'),
        (
            "open deals count as lost",
            '(labels["winnable"] == Status.IMPOSSIBLE)',
            '(labels["winnable"] != Status.SOLVED)',
        ),
        ("a stratum lacks its last deals", "(values >= low) & (values <= end)", "(values >= low) & (values < end)"),
    ),
    *mutants(
        f"{EVALUATION}/chunks.py",
        "training/evaluation/test_chunks.py",
        ("a chunk with too few deals is accepted", "outcomes.shape == chunk.deals.shape and", ""),
        ("checksums are not compared", "if chunk.checksum(content) != checksum:", "if False:"),
        ("two agents' files can be swapped", "agent.name, agent.sha256, ", ""),
        ("files of other deals pass", "self.deals.tolist(), ", ""),
    ),
    *mutants(
        f"{EVALUATION}/chunks.py",
        "training/evaluation/test_parallel.py::test_each_chunk_has_random_numbers_of_its_own",
        (
            "all chunks draw the same random numbers",
            "SeedSequence((self.seed, self.number))",
            "SeedSequence((self.seed, 0))",
        ),
    ),
    *mutants(
        f"{EVALUATION}/replay.py",
        "training/evaluation/test_submission.py",
        ("agents that read hidden cards pass", "if len(different):", "if False:"),
        ("no card is shuffled", "random.permutation(decks[game, places])", "decks[game, places]"),
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
        f"{EVALUATION}/submission.py",
        "training/evaluation/test_submission.py",
        ("a planner passes for one that does not search", "if agent.searches and not statement.searches:", "if False:"),
        ("no game is compared with its replay", "outcomes != stored[chunk.number]", "outcomes != outcomes"),
        ("quick agents are played on a sample", "played if spec.quick else secrets", "secrets"),
        ("which chunks are played again is known", "secrets.SystemRandom()", '__import__("random").Random(0)'),
        (
            "wins of lost deals pass",
            'outcomes["won"] & (labels["winnable"] == Status.IMPOSSIBLE)',
            "labels.isna().any(axis=1)",
        ),
        ("slow agents pass", "_seconds(played[spec]) > track.seconds", "False"),
        ("agents that see arrays pass for text", "not isinstance(agent, TextAgent)", "False"),
        ("more moves than the budget pass", 'training.steps < card["moves"]', 'training.steps < card["decisions"]'),
        ("moves need not be counted", '"moves" not in card', "False"),
        ("two seeds pass for a recipe", "1 < len(set(training.seeds)) < SEEDS_FOR_INTERVAL", "False"),
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
        ("chunks are joined as they come", ", key=lambda one: one.chunk.number)", ", key=lambda one: 0)"),
        ("agents of an earlier comparison are dropped", "(*store.read_agent_specs(folder, env), *found)", "found"),
        (
            "unfair agents are said to be fair",
            "options.information if agent.fair else",
            "options.information if True else",
        ),
    ),
    *mutants(
        f"{EVALUATION}/learning_curve.py",
        "training/evaluation/test_learning_curve.py::test_shares_have_the_intervals_of_shares "
        "training/evaluation/test_learning_curve.py::test_the_later_of_two_evaluations_counts",
        ("shares have intervals of means", "share(values) if played", "mean(values) if played"),
        (
            "the earlier of two evaluations counts",
            'points[int(point["steps"])] = {**point, "metrics": point["metrics"]}',
            'points.setdefault(int(point["steps"]), {**point, "metrics": point["metrics"]})',
        ),
    ),
    *mutants(
        "training/solitaire_evaluation/provenance.py",
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
