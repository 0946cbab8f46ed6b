package io.sluice.rdma.transport.ucx;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.Supplier;
import org.openucx.jucx.ucp.UcpContext;

/**
 * The calls of libucp that register memory. jucx has them too, but it goes on with an uninitialised
 * handle after a failed registration, which may crash the process. That is {@code memoryMapNative}
 * in its {@code context.cc}, up to its newest release.
 *
 * <pre>
 *  0            8         16       24      28           32            36
 *  +------------+---------+--------+-------+------------+-------------+
 *  | field mask | address | length | flags | protection | memory type |   ucp_mem_map_params_t, ucp.h
 *  +------------+---------+--------+-------+------------+-------------+
 * </pre>
 *
 * <p>Thread contract: on the context's loop only. Failure: {@link RegistrationException} with UCX'
 * text. The class is loaded on first use; if that fails, only {@link #loadFailure} may be called.
 * Hadoop's tasks load Hadoop's JNA, so only features of JNA 5.2.0 are used.
 */
final class UcpLibrary {
  private static final long FIELD_ADDRESS = 1;
  private static final long FIELD_LENGTH = 1 << 1;
  private static final long FIELD_PROTECTION = 1 << 3;
  private static final int FIELD_MASK_OFFSET = 0;
  private static final int ADDRESS_OFFSET = 8;
  private static final int LENGTH_OFFSET = 16;
  private static final int PROTECTION_OFFSET = 28;
  private static final int PARAMS_BYTES = 64; // larger than in any release
  private static final byte OK = 0;

  private static final Throwable LOAD_FAILURE = load();

  private UcpLibrary() {}

  /** Why these calls do not work; empty if they work. */
  static Optional<Throwable> loadFailure() {
    return Optional.ofNullable(LOAD_FAILURE);
  }

  /** Loads by the names to which jucx is linked, so that it is the same library. */
  private static Throwable load() {
    try {
      Native.register(UcpLibrary.class, NativeLibrary.getInstance("libucp.so.0"));
      return null;
    } catch (RuntimeException | Error e) { // a plain Error if JNA's library is of another JNA
      return e;
    }
  }

  /**
   * Registers memory.
   *
   * @param protection flags {@code UCP_MEM_MAP_PROT_*}
   * @return the handle, which the caller unmaps
   */
  static Pointer map(UcpContext context, long address, long lengthBytes, long protection)
      throws RegistrationException {
    PointerByReference handle = new PointerByReference();
    ByteBuffer params = OffHeap.allocate(PARAMS_BYTES).order(ByteOrder.nativeOrder());
    try {
      params.putLong(FIELD_MASK_OFFSET, FIELD_ADDRESS | FIELD_LENGTH | FIELD_PROTECTION);
      params.putLong(ADDRESS_OFFSET, address);
      params.putLong(LENGTH_OFFSET, lengthBytes);
      params.putInt(PROTECTION_OFFSET, (int) protection);
      Pointer struct = Native.getDirectBufferPointer(params);
      check(ucp_mem_map(pointer(context), struct, handle), "registering " + lengthBytes + " bytes");
    } finally {
      OffHeap.free(params);
    }
    return handle.getValue();
  }

  /** The packed rkey of registered memory, in a buffer of its own. */
  static ByteBuffer remoteKey(UcpContext context, Pointer handle) throws RegistrationException {
    PointerByReference key = new PointerByReference();
    PointerByReference lengthBytes = new PointerByReference(); // size_t has the same width
    check(ucp_rkey_pack(pointer(context), handle, key, lengthBytes), "packing a remote key");
    try {
      return ByteBuffer.wrap(
          key.getValue().getByteArray(0, (int) Pointer.nativeValue(lengthBytes.getValue())));
    } finally {
      ucp_rkey_buffer_release(key.getValue());
    }
  }

  /** Deregisters memory. */
  static void unmap(UcpContext context, Pointer handle) {
    byte status = ucp_mem_unmap(pointer(context), handle);
    if (status != OK) {
      throw new IllegalStateException("ucx: deregistering failed: " + describe(status));
    }
  }

  private static Pointer pointer(UcpContext context) {
    return new Pointer(context.getNativeId());
  }

  private static void check(byte status, String what) throws RegistrationException {
    if (status != OK) {
      throw new RegistrationException("ucx: " + what + " failed: " + describe(status));
    }
  }

  private static String describe(byte status) {
    return NativeLibrary.getInstance("libucs.so.0")
        .getFunction("ucs_status_string")
        .invokeString(new Object[] {status}, false);
  }

  // ucs_status_t is packed into a byte.

  private static native byte ucp_mem_map(
      Pointer context, Pointer params, PointerByReference handle);

  private static native byte ucp_mem_unmap(Pointer context, Pointer handle);

  private static native byte ucp_rkey_pack(
      Pointer context, Pointer handle, PointerByReference key, PointerByReference lengthBytes);

  private static native void ucp_rkey_buffer_release(Pointer key);

  /**
   * The versions of jucx, which is in Sluice's jar, and of libucx, which is the system's and may be
   * older. An older libucx warns at each new context that the API is incompatible, because of two
   * calls that Sluice does not make. To keep that out of the output of every task, UCX then logs
   * only errors while a context is made, unless its log level is set. That also hides warnings
   * about unknown variables and devices; {@code UCX_LOG_LEVEL=warn} in the environment shows them.
   *
   * <p>Thread contract: safe from any thread; contexts are made one at a time, because the level is
   * global. Call it only after {@link UcxProvider.UcxAvailability.UcxSignals#leaveToJvm}. Failure:
   * none; if a version or level cannot be read or set, UCX still works.
   */
  static final class UcxVersions {
    /** The release that the build bundles. */
    static final String JUCX = "1.18.1";

    private static final String LEVEL = "LOG_LEVEL";
    private static final String UNSET = "WARN"; // the default of UCX
    private static final int LEVEL_BYTES = 64;
    private static final int OK = 0;

    private UcxVersions() {}

    /** Both versions, for logs. */
    static String describe() {
      return "jucx %s on libucx %s".formatted(JUCX, libucx().orElse("of unknown version"));
    }

    /** Whether libucx is older than jucx. */
    static boolean isOlder() {
      return libucx().map(UcxVersions::release).filter(has -> has < release(JUCX)).isPresent();
    }

    private static Optional<String> libucx() {
      try {
        return Optional.of(
            NativeLibrary.getInstance("libucp.so.0")
                .getFunction("ucp_get_version_string")
                .invokeString(new Object[0], false));
      } catch (LinkageError e) {
        return Optional.empty();
      }
    }

    /** The major and minor version as one number, which UCX compares. */
    private static int release(String version) {
      String[] numbers = version.split("\\.");
      return Integer.parseInt(numbers[0]) * 1_000 + Integer.parseInt(numbers[1]);
    }

    /**
     * Makes a context without the warning. A log level that the environment or UCX' own file sets
     * stays as it is.
     */
    static <T> T withoutWarning(Supplier<T> context) {
      synchronized (UcxVersions.class) {
        if (System.getenv("UCX_" + LEVEL) != null
            || !isOlder()
            || !level().equals(Optional.of(UNSET))
            || !setLevel("error")) {
          return context.get();
        }
        try {
          return context.get();
        } finally {
          setLevel(UNSET); // it accepted the other level, so it accepts this one
        }
      }
    }

    /** The log level of UCX in this process; empty if it cannot be read. */
    static Optional<String> level() {
      byte[] level = new byte[LEVEL_BYTES];
      return call("get", LEVEL, level, (long) LEVEL_BYTES)
          ? Optional.of(Native.toString(level))
          : Optional.empty();
    }

    private static boolean setLevel(String level) {
      return call("set", LEVEL, level);
    }

    private static boolean call(String what, Object... arguments) {
      try {
        int status =
            NativeLibrary.getInstance("libucs.so.0")
                .getFunction("ucs_global_opts_" + what + "_value")
                .invokeInt(arguments);
        return (byte) status == OK; // ucs_status_t is packed into a byte
      } catch (LinkageError e) {
        return false;
      }
    }
  }
}
