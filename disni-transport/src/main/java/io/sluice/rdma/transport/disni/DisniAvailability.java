package io.sluice.rdma.transport.disni;

import com.ibm.disni.util.MemoryUtils;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Finds out once whether DiSNI can work here: first what can be seen without native code, then by
 * really opening the devices, because the library is loaded by a static initialiser.
 *
 * <p>Thread contract: safe from any thread.
 */
final class DisniAvailability {
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
            "DiSNI may not ask this JVM for the addresses of buffers; start it with " + FLAG);
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
