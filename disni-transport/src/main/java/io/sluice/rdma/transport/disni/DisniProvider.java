package io.sluice.rdma.transport.disni;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvMr;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import io.sluice.rdma.transport.support.RdmaDevices;
import io.sluice.rdma.transport.support.TransportMeter;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Reads over RDMA, through DiSNI and its native half libdisni: the NIC serves, the remote CPU does
 * not.
 *
 * <p>Unlike {@code ucx} it uses verbs directly. A NIC refuses a deregistered region at once, a
 * refused read differs from a lost connection, and libdisni takes no signals from the JVM. But it
 * supports IPv4 only, and libdisni must be built by hand (docs/disni.md).
 *
 * <p>Thread contract: safe from any thread; the first call of {@link #unavailabilityCause} may load
 * libdisni.
 */
public final class DisniProvider implements TransportProvider {
  private final DisniAvailability availability;

  public DisniProvider() {
    this(new DisniAvailability());
  }

  DisniProvider(DisniAvailability availability) {
    this.availability = availability;
  }

  @Override
  public String name() {
    return TransportNames.DISNI;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return availability.cause();
  }

  @Override
  public boolean isConfined() {
    // No code runs for a client here: the NIC checks keys, and only those of the protection domain.
    return true;
  }

  @Override
  public boolean keysCanBeGuessed() {
    return true; // they have 32 bits, mostly an index; each endpoint has its own protection domains
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    checkAvailable();
    return DisniServerEndpoint.open(bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    checkAvailable();
    return DisniClientEndpoint.open();
  }

  private void checkAvailable() throws TransportException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new TransportException("disni is not available: " + cause.get());
    }
  }

  /**
   * Finds out once whether DiSNI can work here: first without native code, then by opening the
   * devices, because a static initialiser loads the library.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class DisniAvailability {
    private static final String FLAG = "--add-exports java.base/sun.nio.ch=ALL-UNNAMED";

    /** Opens and closes the devices. */
    @FunctionalInterface
    interface Trial {
      void run() throws TransportException;
    }

    private final RdmaDevices devices;
    private final BooleanSupplier mayAskForAddresses;
    private final Trial trial;
    private Optional<String> cause;

    DisniAvailability() {
      this(
          new RdmaDevices(),
          // Opening a package (--add-opens, as stock Spark does) exports it as well.
          () -> Object.class.getModule().isExported("sun.nio.ch", MemoryUtils.class.getModule()),
          () -> DisniDevices.openAll().close());
    }

    DisniAvailability(RdmaDevices devices, BooleanSupplier mayAskForAddresses, Trial trial) {
      this.devices = devices;
      this.mayAskForAddresses = mayAskForAddresses;
      this.trial = trial;
    }

    synchronized Optional<String> cause() {
      if (cause == null) {
        cause = find();
      }
      return cause;
    }

    private Optional<String> find() {
      Optional<String> unusable = devices.unusableCause();
      if (unusable.isPresent()) {
        return unusable;
      }
      try {
        if (!mayAskForAddresses.getAsBoolean()) {
          return Optional.of(
              "DiSNI has no access to the addresses of buffers in this JVM; start it with " + FLAG);
        }
        trial.run();
        return Optional.empty();
      } catch (LinkageError e) {
        return Optional.of(
            "libdisni did not load ("
                + e
                + "); build and install it as docs/disni.md says, and see that"
                + " its directory is in java.library.path, which is "
                + System.getProperty("java.library.path"));
      } catch (TransportException | RuntimeException e) {
        return Optional.of("libdisni found nothing to use: " + e.getMessage());
      }
    }
  }

  /**
   * Registers memory with the NIC and accepts connections; the NIC answers the reads.
   *
   * <p>Unlike with {@code ucx}, deregistration takes effect at once: the NIC then refuses reads
   * with the descriptor.
   *
   * <p>Thread contract: safe from any thread. Ownership: the caller closes.
   */
  static final class DisniServerEndpoint implements ServerEndpoint {
    private final DisniDevices devices;
    private final TransportMeter meter = new TransportMeter();
    private final DisniAcceptor acceptor;
    private final Map<RegionDescriptor, DisniRegion> regions = new HashMap<>(); // under this
    private long nextRegionId = 1; // under this
    private boolean closed; // under this

    private DisniServerEndpoint(
        DisniDevices devices, InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      this.devices = devices;
      // Last: it starts a thread that uses the devices, so nothing after it may fail.
      this.acceptor = DisniAcceptor.listen(devices, bindAddress, admission, meter);
    }

    static DisniServerEndpoint open(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      if (bindAddress.isUnresolved()) {
        throw new TransportException("disni: cannot listen on unresolved address " + bindAddress);
      }
      DisniDevices devices = DisniDevices.openFor(bindAddress.getAddress());
      try {
        return new DisniServerEndpoint(devices, bindAddress, admission);
      } catch (TransportException | RuntimeException | Error e) {
        devices.close();
        throw e;
      }
    }

    @Override
    public InetSocketAddress address() {
      return acceptor.address();
    }

    @Override
    public synchronized RegionDescriptor register(MemoryRegion memory) throws TransportException {
      if (memory.mapping() == null) {
        throw new RegistrationException(
            "disni: a region without a mapping cannot be registered; serve files over tcp");
      }
      if (closed) {
        throw new TransportException("disni: registering a region: the endpoint is closed");
      }
      DisniRegion region =
          DisniRegion.register(
              devices, memory.mapping(), memory.lengthBytes(), IbvMr.IBV_ACCESS_REMOTE_READ);
      RegionDescriptor descriptor =
          new RegionDescriptor(
              nextRegionId++,
              0,
              memory.lengthBytes(),
              DisniAddress.pack(region.address(), region.remoteKeys()));
      regions.put(descriptor, region);
      meter.registered(memory.lengthBytes());
      return descriptor;
    }

    @Override
    public synchronized void deregister(RegionDescriptor descriptor) {
      DisniRegion region = regions.get(descriptor);
      if (region != null) {
        region.deregister(); // first: if it fails, a second call must try again
        regions.remove(descriptor);
        meter.deregistered(descriptor.lengthBytes());
      }
    }

    @Override
    public TransportCounters counters() {
      return meter.snapshot();
    }

    /** For tests: requests of the connected clients are lost from now on. */
    void fallSilent() {
      acceptor.destroyQueuePairs();
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        Closer.all(Stream.of(acceptor::close, this::deregisterAll, this::closeDevices));
      }
    }

    private void deregisterAll() {
      Closer.all(regions.keySet().stream().map(region -> () -> deregister(region)));
    }

    /** Closes the devices unless a thread still uses them, because that would crash the process. */
    private void closeDevices() {
      if (acceptor.hasEnded()) {
        devices.close();
      }
    }
  }
}
