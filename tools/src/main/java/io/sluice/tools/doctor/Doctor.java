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

/** All checks, in the order people read them. */
public final class Doctor {
  private Doctor() {}

  /** Looks at this machine, and at more places for a pool than those that are found. */
  public static List<Finding> examine(List<Path> pools) {
    SystemFiles files = SystemFiles.ofThisMachine();
    TransportChooser chooser = TransportChooser.standard();
    Trial trial = TrialProcess.with(chooser);
    List<Finding> rdma =
        look(new RdmaDevicesCheck(files), new RdmaAccessCheck(files), new LockedMemoryCheck(files));
    List<Finding> ucx = look(new RdmaLibrariesCheck(files));
    List<Finding> nativeCalls = look(NativeCallsCheck.ofThisProcess());
    List<Finding> findings = new ArrayList<>(look(new JavaCheck()));
    findings.addAll(nativeCalls);
    findings.addAll(rdma);
    findings.addAll(ucx);
    for (TransportProvider provider : chooser.providers()) {
      Stream<List<Finding>> needs =
          switch (provider.name()) {
            case TransportNames.TCP -> Stream.of();
            case TransportNames.UCX -> Stream.of(rdma, ucx, nativeCalls);
            default -> Stream.of(rdma);
          };
      findings.addAll(
          new TransportCheck(provider, needs.flatMap(List::stream).toList(), trial).look());
    }
    findings.addAll(new TransportChoiceCheck(chooser).look());
    findings.addAll(pools(pools, files, trial));
    findings.addAll(new LimitsCheck(files).look());
    return findings;
  }

  private static List<Finding> pools(List<Path> more, SystemFiles files, Trial trial) {
    Mounts mounts = Mounts.read(files);
    Set<Path> places = new LinkedHashSet<>(more);
    places.addAll(PoolCandidates.find(files, mounts));
    Predicate<Path> hasMapSync =
        directory -> new SyncMedium().unavailabilityCause(directory).isEmpty();
    return places.stream()
        .flatMap(
            place ->
                new PoolCandidateCheck(place, files, mounts, hasMapSync, trial).look().stream())
        .toList();
  }

  private static List<Finding> look(Check... checks) {
    return Stream.of(checks).flatMap(check -> check.look().stream()).toList();
  }
}
