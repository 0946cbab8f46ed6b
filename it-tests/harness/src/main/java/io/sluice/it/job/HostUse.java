package io.sluice.it.job;

import io.sluice.it.cluster.ProcessUse;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.limit.BlockDeviceCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What this host has done, or did between two times.
 *
 * @param cpuMs processor time of a cluster's daemons and their containers; not of clients
 * @param deviceBytes read from and written to block devices, by anybody: what is still to be
 *     written out is not among them
 * @param networkBytes received on all network interfaces, by anybody: over loopback, which is all
 *     of it on one host, every byte once
 */
public record HostUse(long cpuMs, long deviceBytes, long networkBytes) {
  /** Of what nobody has measured. */
  public static final HostUse NONE = new HostUse(0, 0, 0);

  /** So far; waits until the last container of the cluster has ended. */
  static HostUse of(PseudoCluster cluster) {
    ProcessUse processes = cluster.useWithoutContainers();
    try {
      return new HostUse(
          processes.cpuMs(),
          deviceBytes(Path.of("/sys/block")),
          networkBytes(Files.readAllLines(Path.of("/proc/net/dev"))));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read what this host has done", e);
    }
  }

  /** What came to it since then. */
  HostUse since(HostUse before) {
    return new HostUse(
        cpuMs - before.cpuMs, deviceBytes - before.deviceBytes, networkBytes - before.networkBytes);
  }

  /** Not of what is made of other devices or files, whose bytes would count twice. */
  static long deviceBytes(Path blockDevices) throws IOException {
    long sumBytes = 0;
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(blockDevices)) {
      for (Path device : devices) {
        if (Files.exists(device.resolve("device"))) {
          sumBytes += new BlockDeviceCounters(device.resolve("stat")).read().bytes();
        }
      }
    }
    return sumBytes;
  }

  static long networkBytes(List<String> netDev) {
    return netDev.stream()
        .filter(line -> line.contains(":")) // not the two lines above
        .map(line -> line.substring(line.indexOf(':') + 1).strip().split(" +"))
        .mapToLong(fields -> Long.parseLong(fields[0]))
        .sum();
  }
}
