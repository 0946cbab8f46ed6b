package io.sluice.it.lab;

import io.sluice.it.cluster.Workspace;
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
 * @param kills how often the plug is pulled
 * @param seed of the moments at which that happens
 */
public record LabRun(List<String> suites, int hosts, boolean kvm, int kills, long seed) {

  /** So many that every step of a commit has its turn. */
  public static final String DEFAULT_KILLS = "10";

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

  /** What {@code ./sluice test} runs: all that one guest can. */
  public static LabRun ofTest() {
    return new LabRun(ids(1), 1, false, Integer.parseInt(DEFAULT_KILLS), System.nanoTime());
  }

  /** Runs them; a guest that hangs fails its suite and no other. */
  public List<LabResult> run(Workspace workspace, LabTools tools, Console console) {
    Lab lab = new Lab(workspace, tools, console, kvm);
    List<LabResult> results = new ArrayList<>();
    for (String id : suites) {
      try {
        results.add(run(lab, console, id));
      } catch (LabException e) {
        console.say("FAILED:  " + id + ": " + e.getMessage());
        results.add(new BrokenSuite(id, e.getMessage()));
      }
    }
    return results;
  }

  private LabResult run(Lab lab, Console console, String id) {
    if (id.equals(PulledPlugs.ID)) {
      return new PulledPlugs(lab, console, kills, seed).run();
    }
    LabSuite suite = LabSuite.of(id);
    return hosts == 2 ? lab.runOnTwoHosts(suite) : lab.run(suite);
  }
}
