package io.sluice.it.testrun;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.Lab;
import io.sluice.it.lab.Lab.LabException;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.LabSuite;
import io.sluice.it.lab.LabTools;
import io.sluice.it.lab.plugs.PulledPlugs;
import io.sluice.it.report.Console;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Some suites of the lab, one after the other.
 *
 * @param suites ids in the order in which they run
 * @param hosts 1, or 2 guests joined by a wire
 * @param kvm whether guests use the processor's own virtualisation
 * @param campaign whether tests that take long run too
 * @param kills how often the power fails
 * @param seed of the moments at which that happens
 */
public record LabRun(
    List<String> suites, int hosts, boolean kvm, boolean campaign, int kills, long seed) {

  /** So many that every step of a commit has its turn. */
  public static final String DEFAULT_KILLS = "10";

  /** So many that a kill is not only the first, in a pool that nobody has written to before. */
  private static final int FEW_KILLS = 3;

  public LabRun {
    if (hosts != 1 && hosts != 2) {
      throw new LabException("a lab has 1 or 2 hosts, not " + hosts);
    }
    for (String id : suites) {
      if (!ids(hosts).contains(id)) {
        throw new LabException(
            "there is no suite '%s' for %d guest(s); there are %s"
                .formatted(id, hosts, String.join(", ", ids(hosts))));
      }
    }
  }

  /** Everything that runs in so many guests. */
  public static List<String> ids(int hosts) {
    Stream<String> suites =
        Arrays.stream(LabSuite.values())
            .filter(suite -> hosts == 1 || suite.runsOnTwoHosts())
            .map(LabSuite::id);
    return Stream.concat(suites, hosts == 1 ? Stream.of(PulledPlugs.ID) : Stream.empty()).toList();
  }

  /**
   * The suites of {@code ./sluice test}, each by itself, so that they can run side by side.
   *
   * @param all whether campaigns run too
   */
  public static List<LabRun> ofTest(boolean all) {
    List<LabRun> runs = new ArrayList<>();
    if (all) {
      for (LabSuite suite : LabSuite.values()) {
        if (suite.runsOnTwoHosts()) {
          runs.add(ofTest(suite.id(), 2, true));
        }
      }
    }
    for (LabSuite suite : LabSuite.values()) {
      if (all || !suite.isCampaign()) {
        runs.add(ofTest(suite.id(), 1, all));
      }
    }
    runs.add(ofTest(PulledPlugs.ID, 1, all));
    return runs;
  }

  private static LabRun ofTest(String suite, int hosts, boolean all) {
    int kills = all ? Integer.parseInt(DEFAULT_KILLS) : FEW_KILLS;
    return new LabRun(List.of(suite), hosts, false, all, kills, System.nanoTime());
  }

  /** What boots the guests of a suite. */
  public static LabTools tools(String id, Workspace workspace) {
    return id.equals(LabSuite.AARCH64.id())
        ? LabTools.findAarch64(workspace)
        : LabTools.find(workspace);
  }

  /** Memory of the guests of the largest suite, and of their emulators. */
  public int memoryMb() {
    return suites.stream().mapToInt(this::memoryMb).max().orElse(0);
  }

  private int memoryMb(String id) {
    if (id.equals(PulledPlugs.ID)) {
      return PulledPlugs.MEMORY_MB + Lab.EMULATOR_MB;
    }
    int first = LabSuite.of(id).memoryMb() + Lab.EMULATOR_MB;
    return hosts == 2 ? first + Lab.PEER_MEMORY_MB + Lab.EMULATOR_MB : first;
  }

  /** Runs them; a guest that hangs fails its suite and no other. */
  public List<LabResult> run(Workspace workspace, Console console) {
    List<LabResult> results = new ArrayList<>();
    for (String id : suites) {
      Lab lab = new Lab(workspace, tools(id, workspace), console, kvm);
      try {
        results.add(run(lab, console, id));
      } catch (LabException e) {
        console.say("FAILED:  " + id + ": " + e.getMessage());
        results.add(LabResult.broken(id, e.getMessage()));
      }
    }
    return results;
  }

  private LabResult run(Lab lab, Console console, String id) {
    if (id.equals(PulledPlugs.ID)) {
      return new PulledPlugs(lab, console, kills, seed).run().toLabResult();
    }
    LabSuite suite = LabSuite.of(id);
    return hosts == 2 ? lab.runOnTwoHosts(suite) : lab.run(suite, campaign);
  }
}
