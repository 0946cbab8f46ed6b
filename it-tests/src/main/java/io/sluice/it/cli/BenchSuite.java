package io.sluice.it.cli;

import io.sluice.it.limit.LoopVolume;
import io.sluice.it.limit.ResourceGroups;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What {@code sluice bench all} runs, in this order: what is over soon comes first. */
enum BenchSuite {
  LOCAL(60, "local --size 128m --runs 1", 240, "local --runs 3"),
  CHAIN(60, "chain --size 64m --runs 1", 300, "chain --runs 3"),
  EXCHANGE(60, "exchange --size 64m --shapes 8x2,64x8 --runs 1", 400, "exchange --runs 1"),
  SCALING(90, "scaling --size 128m --runs 1", 600, "scaling --runs 3"),
  SPARK(120, "spark --rows 500000 --runs 1 --on-tmpfs", 2_400, "spark --runs 5"),
  TERASORT(120, "--size 64m --runs 1", 1_800, "--size 1g --runs 5"),
  ENCRYPTED(120, "--size 64m --runs 1 --encrypted", 1_800, "--size 1g --runs 5 --encrypted"),
  HONE(150, "hone --workload WORD_COUNT,LDA --runs 1", 3_600, "hone --size MEDIUM --runs 5"),
  SYNTHETIC(200, "synthetic --size 20k --runs 1", 3_600, "synthetic --runs 3"),
  PAGERANK(240, "pagerank --size 10k --runs 1", 7_200, "pagerank --size 4m --runs 5"),
  RMR_NVM(
      240,
      "rmr-nvm --size 16m --workload TERASORT,WORD_COUNT --runs 1",
      18_000,
      "rmr-nvm --runs 5"),
  MEMORY(
      180,
      "memory --size 60m --workload sort --fractions 1.0 --runs 1",
      7_200,
      "memory --runs 3",
      () -> LoopVolume.unavailableBecause().or(ResourceGroups::unavailableBecause));

  private final int quickS;
  private final List<String> quick;
  private final int fullS;
  private final List<String> full;
  private final Supplier<Optional<String>> unavailable;

  BenchSuite(int quickS, String quick, int fullS, String full) {
    this(quickS, quick, fullS, full, Optional::empty);
  }

  BenchSuite(
      int quickS,
      String quick,
      int fullS,
      String full,
      Supplier<Optional<String>> unavailable) {
    this.quickS = quickS;
    this.quick = List.of(quick.split(" "));
    this.fullS = fullS;
    this.full = List.of(full.split(" "));
    this.unavailable = unavailable;
  }

  /** Arguments of {@code sluice bench}. */
  List<String> arguments(boolean isQuick) {
    return isQuick ? quick : full;
  }

  /** What it takes on two cores. */
  int expectedS(boolean isQuick) {
    return isQuick ? quickS : fullS;
  }

  /** Why it cannot run here. */
  Optional<String> unavailableBecause() {
    return unavailable.get();
  }
}
