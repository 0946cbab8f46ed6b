package io.sluice.rdma.transport.disni;

import com.ibm.disni.util.MemoryUtils;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.BooleanSupplier;

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
}
