package io.sluice.tools.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.medium.SyncMedium;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Runs all checks of this machine and returns their findings in the order in which people read
 * them. {@code ClusterDoctor} does the same for configuration files.
 *
 * <p>Thread contract: stateless. Failure: no check throws; a fact that cannot be found out is a
 * finding too.
 */
public final class Doctor {
  private Doctor() {}

  /**
   * Examines this machine.
   *
   * @param pools directories and devices to examine as candidates for a pool, in addition to those
   *     that are found
   */
  public static List<Finding> examine(List<Path> pools) {
    SystemFiles files = SystemFiles.ofThisMachine();
    TransportChooser chooser = TransportChooser.standard();
    Trial trial = TrialProcess.with(chooser);
    RdmaNeeds needs = new RdmaNeeds(files);
    List<Finding> rdma = new ArrayList<>(new RdmaDevicesCheck(files).look());
    rdma.addAll(needs.access());
    rdma.add(needs.lockedMemory());
    List<Finding> ucx = List.of(needs.libraries());
    List<Finding> nativeCalls = List.of(JavaCheck.nativeCalls());
    List<Finding> findings = new ArrayList<>();
    findings.add(JavaCheck.release());
    findings.addAll(nativeCalls);
    findings.addAll(rdma);
    findings.addAll(ucx);
    for (TransportProvider provider : chooser.providers()) {
      Stream<List<Finding>> ofTransport =
          switch (provider.name()) {
            case TransportNames.TCP -> Stream.of();
            case TransportNames.UCX -> Stream.of(rdma, ucx, nativeCalls);
            default -> Stream.of(rdma);
          };
      findings.add(
          new TransportCheck(provider, ofTransport.flatMap(List::stream).toList(), trial).look());
    }
    findings.add(TransportCheck.choice(chooser));
    findings.addAll(pools(pools, files, trial));
    findings.addAll(new LimitsCheck(files).look());
    return findings;
  }

  private static List<Finding> pools(List<Path> more, SystemFiles files, Trial trial) {
    Mounts mounts = Mounts.read(files);
    Set<Path> candidates = new LinkedHashSet<>(more);
    candidates.addAll(PoolCandidate.find(files, mounts));
    Predicate<Path> hasMapSync =
        directory -> new SyncMedium().unavailabilityCause(directory).isEmpty();
    return candidates.stream()
        .flatMap(
            path -> new PoolCandidateCheck(path, files, mounts, hasMapSync, trial).look().stream())
        .toList();
  }
}
