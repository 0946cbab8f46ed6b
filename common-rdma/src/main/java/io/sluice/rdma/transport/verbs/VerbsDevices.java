package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA devices of a client endpoint, or of all server endpoints at one address, and the thread
 * that takes their events. They are nearly always one.
 *
 * <p>A reader does not know which device a connection will use when it registers memory, so it
 * opens all devices that have an active port. A server opens the devices of its addresses, mostly
 * one. A device that cannot be opened is left out.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever opened it closes it, after all
 * {@link VerbsDomains}. Failure: a device whose events cannot be taken has failed, and its
 * connections end.
 */
final class VerbsDevices implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsDevices.class);

  /** The thread waits no longer, should a wake-up be lost. */
  private static final int WAIT_MS = 60_000;

  private static final long END_LIMIT_MS = 10_000;
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Verbs verbs;
  private final List<VerbsDevice> devices = new ArrayList<>();
  private final Map<InetAddress, VerbsPort> found = new ConcurrentHashMap<>();
  private final int waker;
  private final Thread thread;
  private volatile boolean closing;

  private VerbsDevices(Verbs verbs, int waker) {
    this.verbs = verbs;
    this.waker = waker;
    this.thread = DaemonThreads.create("sluice-verbs-events", this::takeEvents);
  }

  /** Opens every device that has an active port and can be opened. */
  static VerbsDevices openAll(Verbs verbs, Path sysClass) throws TransportException {
    return open(verbs, sysClass, List.of(), VerbsNetwork.DEFAULT_PARTITION_KEY);
  }

  /**
   * Opens the devices of addresses of this host, or every device for the wildcard.
   *
   * @param partitionKey what a port of them must have
   */
  static VerbsDevices openFor(
      Verbs verbs, Path sysClass, List<InetAddress> addresses, int partitionKey)
      throws TransportException {
    boolean all = addresses.stream().anyMatch(InetAddress::isAnyLocalAddress);
    return open(verbs, sysClass, all ? List.of() : addresses, partitionKey);
  }

  /** Opens those that have a port of one of the addresses; all if there is no address. */
  private static VerbsDevices open(
      Verbs verbs, Path sysClass, List<InetAddress> only, int partitionKey)
      throws TransportException {
    try {
      int waker = verbs.createWaker();
      VerbsDevices result = null;
      try {
        result = new VerbsDevices(verbs, waker);
        result.add(sysClass, only);
        result.checkPartition(partitionKey);
        result.thread.start(); // last: from here on it must be ended
        return result;
      } catch (IOException | RuntimeException | Error e) {
        if (result != null) {
          Closer.after(e, result::closeDevices);
        }
        Closer.after(e, () -> verbs.closeWaker(waker));
        throw e;
      }
    } catch (TransportException e) {
      throw e;
    } catch (IOException | UncheckedIOException e) {
      throw new TransportException("verbs: cannot open the RDMA devices: " + ErrorText.of(e), e);
    }
  }

  /**
   * Opens what can be opened. A container sees all devices of its host, and may use those that were
   * passed in.
   */
  private void add(Path sysClass, List<InetAddress> only) throws IOException {
    IOException failure = null;
    for (Map.Entry<String, List<Integer>> each : activePorts(sysClass).entrySet()) {
      try {
        add(sysClass, only, each.getKey(), each.getValue());
      } catch (IOException e) {
        LOG.info("verbs: RDMA device {} is left out: {}", each.getKey(), ErrorText.of(e));
        failure = failure == null ? e : failure;
      }
    }
    if (devices.isEmpty() && failure != null) {
      throw failure;
    }
    if (devices.isEmpty()) {
      throw new TransportException(
          only.isEmpty()
              ? "verbs: no RDMA device has an active port"
              : noGid(only) + "; listen on an address of an RDMA device's network interface");
    }
  }

  private void checkPartition(int key) throws IOException {
    for (VerbsDevice device : devices) {
      if (device.hasPartition(key)) {
        return;
      }
    }
    throw new TransportException(
        "verbs: no active port of " + devices + " has " + PartitionTable.missing(key));
  }

  private void add(Path sysClass, List<InetAddress> only, String name, List<Integer> ports)
      throws IOException {
    VerbsDevice device = VerbsDevice.open(verbs, sysClass, name, devices.size(), ports);
    try {
      if (only.isEmpty() || device.hasAny(only)) {
        devices.add(device);
        return;
      }
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, device::close);
      throw e;
    }
    device.close();
  }

  /** The active ports by their devices' names. */
  static Map<String, List<Integer>> activePorts(Path sysClass) {
    return byDevice(new RdmaDevices(sysClass).activePorts());
  }

  /** Ports, such as {@code mlx5_0:1}, by their devices' names. */
  static Map<String, List<Integer>> byDevice(List<String> ports) {
    Map<String, List<Integer>> result = new LinkedHashMap<>();
    for (String port : ports) {
      int colon = port.lastIndexOf(':');
      result
          .computeIfAbsent(port.substring(0, colon), name -> new ArrayList<>())
          .add(Integer.parseInt(port.substring(colon + 1)));
    }
    return result;
  }

  private static String noGid(List<InetAddress> addresses) {
    return "verbs: no active port of an RDMA device has a GID for "
        + addresses.stream().map(InetAddress::getHostAddress).collect(Collectors.joining(" or "));
  }

  /** Whether a connection can be made at an address of this host. */
  boolean isUp(InetAddress address) {
    try {
      VerbsPort port = portOf(address);
      return port.state().active() && !port.device().hasFailed();
    } catch (IOException | RuntimeException e) { // the latter from listing a device that goes
      return false;
    }
  }

  /** Those of a server's addresses that have a port; the only one anyway. */
  List<InetAddress> served(List<InetAddress> addresses) throws TransportException {
    if (addresses.size() == 1) {
      return addresses;
    }
    List<InetAddress> served = new ArrayList<>();
    for (InetAddress address : addresses) {
      try {
        portOf(address);
        served.add(address);
      } catch (IOException e) {
        LOG.warn(
            "Not serving over verbs at {}, only at the other addresses: {}",
            address.getHostAddress(),
            ErrorText.of(e));
      }
    }
    if (served.isEmpty()) {
      throw new TransportException(noGid(addresses));
    }
    return served;
  }

  List<VerbsDevice> all() {
    return devices;
  }

  /**
   * The port of a connection, by its own address on this host. A device that fails is passed over.
   *
   * @throws IOException if no port has the address: the failure of the first device that failed
   */
  VerbsPort portOf(InetAddress local) throws IOException {
    IOException failure = null;
    VerbsPort known = found.get(local);
    if (known != null) {
      try {
        Optional<VerbsPort> same = known.device().again(known, local);
        if (same.isPresent()) {
          return same.get();
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    for (VerbsDevice device : devices) {
      try {
        Optional<VerbsPort> port = device.find(local);
        if (port.isPresent()) {
          found.put(local, port.get());
          return port.get();
        }
      } catch (IOException e) { // one that was removed, and the address may be another's
        failure = failure == null ? e : failure;
      }
    }
    throw failure == null ? new TransportException(noGid(List.of(local))) : failure;
  }

  private void takeEvents() {
    List<VerbsDevice> working = new ArrayList<>(devices);
    while (!closing) {
      try {
        takeEvents(working);
      } catch (IOException e) {
        SafeLog.error(LOG, "verbs: no more events of {} can be taken", working, e);
        working.forEach(device -> device.fail("the events of " + device + " cannot be taken"));
        return;
      } catch (RuntimeException | Error e) { // mostly for want of memory
        SafeLog.error(LOG, "verbs: an event of {} was not handled, going on", working, e);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
      }
    }
  }

  private void takeEvents(List<VerbsDevice> working) throws IOException {
    int[] descriptors = new int[1 + working.size()];
    descriptors[0] = waker;
    for (int i = 1; i < descriptors.length; i++) {
      descriptors[i] = verbs.asyncDescriptor(working.get(i - 1).context());
    }
    int readable = verbs.await(descriptors, WAIT_MS);
    for (int i = descriptors.length - 1; i > 0; i--) {
      if ((readable >> i & 1) != 0) {
        takeEvent(working, i - 1);
      }
    }
  }

  private static void takeEvent(List<VerbsDevice> working, int index) {
    VerbsDevice device = working.get(index);
    try {
      device.takeEvent();
    } catch (IOException e) {
      working.remove(index);
      LOG.warn("verbs: the events of {} cannot be taken; was it removed?", device, e);
      device.fail("the events of RDMA device " + device + " cannot be taken");
    }
  }

  private void closeDevices() throws IOException {
    Closer.all(devices.stream().<Closeable>map(device -> device::close).toList());
  }

  /**
   * Closes all devices.
   *
   * @throws IllegalStateException if one cannot be closed, or the thread still uses them
   */
  @Override
  public void close() {
    closing = true;
    try {
      verbs.wake(waker);
      if (!DaemonThreads.awaitEnd(thread, END_LIMIT_MS)) {
        throw new IllegalStateException("verbs: the thread of device events did not end");
      }
      Closer.all(this::closeDevices, () -> verbs.closeWaker(waker));
    } catch (IOException e) {
      throw new IllegalStateException("verbs: cannot close the RDMA devices", e);
    }
  }
}
