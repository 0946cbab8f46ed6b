package io.sluice.it.doctor;

import io.sluice.rdma.transport.disni.DisniProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.rdma.transport.ucx.UcxProvider;
import java.nio.file.Path;
import java.util.List;

/** All checks, in the order people read them. */
public final class Doctor {
  private Doctor() {}

  /** Looks at this machine, and at a directory as the place of a pool. */
  public static List<Finding> examine(Path poolDirectory) {
    List<Check> checks =
        List.of(
            new JavaCheck(),
            new TransportCheck(new TcpProvider()),
            new TransportCheck(new UcxProvider()),
            new TransportCheck(new DisniProvider()),
            new TransportChoiceCheck(),
            new RdmaDevicesCheck(),
            new LockedMemoryCheck(),
            new PoolDirectoryCheck(poolDirectory),
            new LimitsCheck());
    return checks.stream().map(Check::look).toList();
  }
}
