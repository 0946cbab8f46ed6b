package io.sluice.rdma.transport.ucx;

import com.sun.jna.Native;
import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.support.RdmaDevices;
import io.sluice.rdma.transport.ucx.UcpLibrary.UcxVersions;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads over RDMA, through UCX and its Java binding: the NIC serves, the remote CPU does not.
 *
 * <p>Unlike {@code tcp} it needs libucx, a NIC, an address of that NIC to listen on (rdmacm does
 * not support 127.0.0.1), mapped regions and locked memory. It is available only with all of these.
 * It supports IPv4 only: if UCX 1.13 cannot accept a connection over IPv6, a double free ends the
 * process. The listener uses the wildcard address of IPv4 ({@link UcxAcceptor}).
 *
 * <p>Thread contract: safe from any thread; the first call of {@link #unavailabilityCause} may load
 * libucx.
 */
public final class UcxProvider implements TransportProvider {
  private final UcxSettings settings;
  private final UcxAvailability availability;

  public UcxProvider() {
    this(new RdmaDevices());
  }

  UcxProvider(RdmaDevices devices) {
    this(UcxSettings.rdma(devices), devices);
  }

  private UcxProvider(UcxSettings settings, RdmaDevices devices) {
    this.settings = settings;
    this.availability = new UcxAvailability(settings, devices, new LockedMemoryLimit());
  }

  /** Uses UCX' emulation on TCP, to run the contract tests without a NIC. */
  static UcxProvider overTcp() {
    return new UcxProvider(UcxSettings.TCP, new RdmaDevices());
  }

  @Override
  public String name() {
    return TransportNames.UCX;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return availability.cause();
  }

  @Override
  public boolean isConfined() {
    // libucp also answers puts and gets that come as messages, and checks no key for those:
    // ucp_put_handler copies to any address that a peer names. Without the RMA feature there is no
    // such handler, but libucp takes ids in other messages for pointers, whatever the features.
    return false;
  }

  @Override
  public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
      throws TransportException {
    checkAvailable();
    if (bindAddress.isUnresolved()) {
      throw new TransportException("ucx: cannot listen on unresolved address " + bindAddress);
    }
    if (!(bindAddress.getAddress() instanceof Inet4Address)) {
      throw new TransportException("ucx: cannot listen on " + bindAddress + ": IPv4 only");
    }
    return UcxServerEndpoint.open(settings, bindAddress, admission);
  }

  @Override
  public ClientEndpoint openClient() throws TransportException {
    checkAvailable();
    return UcxClientEndpoint.open(settings);
  }

  private void checkAvailable() throws TransportException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new TransportException("ucx is not available: " + cause.get());
    }
  }

  /**
   * Finds out once whether UCX can work here: first without native code, then by creating a
   * context, because the Java binding hides load errors until first use.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class UcxAvailability {
    /**
     * The memory that must be free to pin. UCX pins 20 MiB and more for itself, for each port. If
     * it may not, it tries again forever without an error.
     */
    private static final long OWN_PINNED_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(UcxAvailability.class);

    private final UcxSettings settings;
    private final RdmaDevices devices;
    private final LockedMemoryLimit limit;
    private Optional<String> cause;

    UcxAvailability(UcxSettings settings, RdmaDevices devices, LockedMemoryLimit limit) {
      this.limit = limit;
      this.settings = settings;
      this.devices = devices;
    }

    synchronized Optional<String> cause() {
      if (cause == null) {
        cause = find();
      }
      return cause;
    }

    private Optional<String> find() {
      Optional<String> unusable =
          settings.needsDevice() ? devices.unusableCause() : Optional.empty();
      if (unusable.isPresent()) {
        return unusable;
      }
      Optional<String> signals = UcxSignals.leaveToJvm();
      if (signals.isPresent()) {
        return signals;
      }
      try {
        Optional<String> refusal =
            settings.needsDevice() ? limit.refusal(OWN_PINNED_BYTES) : Optional.empty();
        if (refusal.isPresent()) {
          return refusal.map("UCX pins memory for itself: "::concat);
        }
        settings.newContext().close();
        LOG.info("{}", UcxVersions.describe());
        return UcpLibrary.loadFailure().map(e -> "libucp cannot be called through JNA: " + e);
      } catch (IOException e) {
        return Optional.of("cannot find out how much memory may be pinned: " + ErrorText.of(e));
      } catch (LinkageError | RuntimeException e) {
        return Optional.of(
            "libucx did not load, or found no device ("
                + e
                + "); install libucx 1.13 or later (Debian: libucx0) with RDMA support");
      }
    }

    /**
     * Keeps libucs from handling this process's signals.
     *
     * <p>By default libucs handles SIGSEGV once it is loaded. The JVM needs that signal for null
     * checks and safepoints, so the process can freeze. libucs reads the C library's environment,
     * which no Java call can change; this class changes it by a native call.
     *
     * <p>Thread contract: safe from any thread; must be called before libucs is loaded.
     */
    static final class UcxSignals {
      private static final String VARIABLE = "UCX_ERROR_SIGNALS";
      private static final int OVERWRITE = 1;

      private UcxSignals() {}

      /** Leaves the signals to the JVM; returns why that failed, if it did. */
      static Optional<String> leaveToJvm() {
        if ("".equals(System.getenv(VARIABLE))) {
          return Optional.empty();
        }
        try {
          if (CLibrary.setenv(VARIABLE, "", OVERWRITE) == 0) {
            return Optional.empty();
          }
          return Optional.of(cause("setenv failed"));
        } catch (LinkageError | RuntimeException e) {
          return Optional.of(cause(e.toString()));
        }
      }

      private static String cause(String why) {
        return "UCX would take over the JVM's signals while it loads, and this process cannot prevent it ("
            + why
            + "); set "
            + VARIABLE
            + " to the empty string in its environment";
      }

      /** Bound on first use, so that {@link #leaveToJvm} can report a failure. */
      private static final class CLibrary {
        static {
          Native.register(CLibrary.class, "c");
        }

        static native int setenv(String name, String value, int overwrite);
      }
    }
  }
}
