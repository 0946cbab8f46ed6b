package io.sluice.rdma.transport.verbs;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.NativeCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Calls libibverbs, through JNA. {@code ibv_post_send}, {@code ibv_poll_cq} and {@code
 * ibv_req_notify_cq} are inline functions of its header; they are called as the header does,
 * through the device's pointers.
 *
 * <p>{@code ibv_fork_init} is not called. The JVM starts processes by {@code posix_spawn}, whose
 * child shares this process's memory until it is another program. With {@code
 * -Djdk.lang.Process.launchMechanism=FORK} Linux before 5.12 would give the NIC's pages to the
 * child; later ones copy them.
 *
 * <p>Thread contract: safe from any thread. Failure: see {@link Verbs}. The class is loaded on
 * first use; if that fails, only {@link #loadFailure} may be called. Hadoop's tasks load Hadoop's
 * JNA, so only features of JNA 5.2.0 are used.
 */
final class LibVerbs implements Verbs {
  private static final String LIBRARY = "libibverbs.so.1";
  private static final int EFD_CLOEXEC = 0x80000;
  private static final int EFD_NONBLOCK = 0x800;
  private static final long POLLIN = 1;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final int EINTR = 4;
  private static final int EIO = 5;
  private static final int EAGAIN = 11;
  private static final int EBUSY = 16;
  private static final long[] ONE = {1}; // the call reads it, and needs no memory of the heap

  private static final Throwable LOAD_FAILURE = load();

  /** Why these calls do not work; empty if they work. */
  static Optional<Throwable> loadFailure() {
    return Optional.ofNullable(LOAD_FAILURE);
  }

  private static Throwable load() {
    try {
      Native.register(Libc.class, "c");
      // Of functions with several versions, dlsym returns the default one, IBVERBS_1.1.
      Native.register(LibVerbs.class, NativeLibrary.getInstance(LIBRARY));
      AddressCall.load();
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** The address of direct memory. */
  static long address(ByteBuffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }

  @Override
  public List<String> deviceNames() throws IOException {
    long list = ibv_get_device_list(null);
    if (list == 0) {
      throw failure("list the RDMA devices");
    }
    try {
      List<String> names = new ArrayList<>();
      for (long at = list, device; (device = longAt(at, 0)) != 0; at += Native.POINTER_SIZE) {
        names.add(ibv_get_device_name(device));
      }
      return names;
    } finally {
      ibv_free_device_list(list);
    }
  }

  @Override
  public long open(String deviceName) throws IOException {
    long list = ibv_get_device_list(null);
    if (list == 0) {
      throw failure("list the RDMA devices");
    }
    try {
      for (long at = list, device; (device = longAt(at, 0)) != 0; at += Native.POINTER_SIZE) {
        if (ibv_get_device_name(device).equals(deviceName)) {
          long context = created(ibv_open_device(device), "open RDMA device " + deviceName);
          return withoutWaits(context, deviceName);
        }
      }
    } finally {
      ibv_free_device_list(list);
    }
    throw new IOException("libibverbs knows no device " + deviceName);
  }

  /**
   * Makes {@link #takeAsyncEvent} return if there is no event. The kernel drops the events of a
   * queue pair that is destroyed, also after {@link #await} has seen them.
   */
  private long withoutWaits(long context, String deviceName) throws IOException {
    try {
      int failed = Libc.fcntl(asyncDescriptor(context), F_SETFL, O_NONBLOCK);
      check(failed, "read the events of RDMA device " + deviceName + " without waiting");
      return context;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, () -> close(context));
      throw e;
    }
  }

  @Override
  public void close(long context) throws IOException {
    checkEnded(ibv_close_device(context), "close an RDMA device");
  }

  @Override
  public DeviceLimits limits(long context) throws IOException {
    byte[] struct = new byte[VerbsLayout.DEVICE_BYTES];
    check(ibv_query_device(context, struct), "query an RDMA device");
    ByteBuffer device = VerbsLayout.wrap(struct);
    return new DeviceLimits(
        device.getInt(VerbsLayout.DEVICE_MAX_QP_WR),
        device.getInt(VerbsLayout.DEVICE_MAX_CQE),
        device.getInt(VerbsLayout.DEVICE_MAX_QP_RD_ATOM),
        device.getInt(VerbsLayout.DEVICE_MAX_QP_INIT_RD_ATOM));
  }

  @Override
  public PortState port(long context, int port) throws IOException {
    byte[] struct = new byte[VerbsLayout.PORT_BYTES];
    check(ibv_query_port(context, (byte) port, struct), "query port " + port);
    ByteBuffer state = VerbsLayout.wrap(struct);
    return new PortState(
        state.getInt(VerbsLayout.PORT_STATE) == VerbsLayout.PORT_ACTIVE,
        state.getInt(VerbsLayout.PORT_ACTIVE_MTU),
        Short.toUnsignedInt(state.getShort(VerbsLayout.PORT_LID)),
        state.get(VerbsLayout.PORT_LINK_LAYER) != VerbsLayout.LINK_LAYER_ETHERNET,
        (state.get(VerbsLayout.PORT_FLAGS) & VerbsLayout.PORT_NEEDS_GRH) != 0,
        Integer.toUnsignedLong(state.getInt(VerbsLayout.PORT_MAX_MSG_SZ)));
  }

  @Override
  public long allocateDomain(long context) throws IOException {
    return created(ibv_alloc_pd(context), "allocate a protection domain");
  }

  @Override
  public void freeDomain(long domain) throws IOException {
    checkEnded(ibv_dealloc_pd(domain), "free a protection domain");
  }

  @Override
  public Registration register(long domain, long address, long lengthBytes, int access)
      throws IOException {
    long registration =
        created(
            ibv_reg_mr(domain, address, lengthBytes, access),
            "register " + lengthBytes + " bytes with an RDMA device");
    return new Registration(
        registration,
        intAt(registration, VerbsLayout.MR_LKEY),
        intAt(registration, VerbsLayout.MR_RKEY));
  }

  @Override
  public void deregister(long registration) throws IOException {
    checkEnded(ibv_dereg_mr(registration), "deregister memory");
  }

  @Override
  public long createChannel(long context) throws IOException {
    return created(ibv_create_comp_channel(context), "create a completion channel");
  }

  @Override
  public int channelDescriptor(long channel) {
    return intAt(channel, VerbsLayout.CHANNEL_FD);
  }

  @Override
  public void takeEvent(long channel) throws IOException {
    check(ibv_get_cq_event(channel, new long[1], new long[1]), "take a completion event");
  }

  /**
   * The library calls a channel busy if its queue went away with the device, see {@link
   * #checkEnded}. Then only the descriptor is closed; some bytes stay.
   */
  @Override
  public void destroyChannel(long channel) throws IOException {
    int descriptor = channelDescriptor(channel);
    int result = ibv_destroy_comp_channel(channel);
    if (result == EBUSY) {
      check(Libc.close(descriptor), "close a completion channel");
    } else {
      checkEnded(result, "destroy a completion channel");
    }
  }

  @Override
  public long createQueue(long context, int entries, long channel) throws IOException {
    return created(ibv_create_cq(context, entries, 0, channel, 0), "create a completion queue");
  }

  @Override
  public void requestEvent(long queue) throws IOException {
    checkReturned(
        AddressCall.call(function(queue, VerbsLayout.CONTEXT_REQ_NOTIFY_CQ), queue, 0, 0),
        "request a completion event");
  }

  @Override
  public int poll(long queue, int most, long completions) throws IOException {
    int taken =
        AddressCall.call(function(queue, VerbsLayout.CONTEXT_POLL_CQ), queue, most, completions);
    if (taken < 0) {
      throw new IOException("cannot poll a completion queue: result " + taken);
    }
    return taken;
  }

  @Override
  public void destroyQueue(long queue, int takenEvents) throws IOException {
    ibv_ack_cq_events(queue, takenEvents); // else the next call waits for ever
    checkEnded(ibv_destroy_cq(queue), "destroy a completion queue");
  }

  @Override
  public long createPair(long domain, long queue, int requests) throws IOException {
    return created(
        ibv_create_qp(domain, VerbsLayout.newPair(queue, requests)),
        "create a queue pair for " + requests + " requests");
  }

  @Override
  public int pairNumber(long pair) {
    return intAt(pair, VerbsLayout.QP_NUM);
  }

  @Override
  public void modify(long pair, byte[] attributes, int mask) throws IOException {
    check(
        ibv_modify_qp(pair, attributes, mask),
        "change a queue pair to state "
            + VerbsLayout.wrap(attributes).getInt(VerbsLayout.ATTR_STATE));
  }

  @Override
  public void post(long pair, long requests) throws IOException {
    checkReturned(
        AddressCall.call(
            function(pair, VerbsLayout.CONTEXT_POST_SEND),
            pair,
            requests,
            requests + VerbsLayout.WR_FREE),
        "post a read");
  }

  @Override
  public void destroyPair(long pair) throws IOException {
    checkEnded(ibv_destroy_qp(pair), "destroy a queue pair");
  }

  @Override
  public int asyncDescriptor(long context) {
    return intAt(context, VerbsLayout.CONTEXT_ASYNC_FD);
  }

  @Override
  public boolean takeAsyncEvent(long context, Consumer<AsyncEvent> handler) throws IOException {
    byte[] struct = new byte[VerbsLayout.EVENT_BYTES];
    if (ibv_get_async_event(context, struct) != 0) {
      int error = Native.getLastError();
      if (error == EAGAIN) {
        checkNotRemoved(context);
        return false;
      }
      throw NativeCalls.failure("take an event of an RDMA device", error);
    }
    try {
      handler.accept(event(VerbsLayout.wrap(struct)));
    } finally {
      ibv_ack_async_event(struct); // from now on the element can be destroyed
    }
    return true;
  }

  private static AsyncEvent event(ByteBuffer struct) {
    int type = struct.getInt(VerbsLayout.EVENT_TYPE);
    return new AsyncEvent(
        type,
        type == VerbsLayout.EVENT_PORT_ERR
            ? struct.getInt(VerbsLayout.EVENT_ELEMENT)
            : struct.getLong(VerbsLayout.EVENT_ELEMENT));
  }

  /** Before Linux 6.4, a descriptor that does not wait has no other error after the removal. */
  private void checkNotRemoved(long context) throws IOException {
    long[] polled = {asked(asyncDescriptor(context))};
    if (Libc.poll(polled, 1, 0) > 0 && (found(polled[0]) & ~POLLIN) != 0) {
      throw new IOException("the RDMA device was removed");
    }
  }

  @Override
  public int createWaker() throws IOException {
    int descriptor = Libc.eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0) {
      throw failure("create an eventfd");
    }
    return descriptor;
  }

  @Override
  public void wake(int waker) throws IOException {
    if (Libc.write(waker, ONE, Long.BYTES) != Long.BYTES) {
      throw failure("write to eventfd " + waker);
    }
  }

  @Override
  public void closeWaker(int waker) throws IOException {
    check(Libc.close(waker), "close eventfd " + waker);
  }

  @Override
  public int await(int[] descriptors, int limitMs) throws IOException {
    long[] polled = new long[descriptors.length];
    for (int i = 0; i < polled.length; i++) {
      polled[i] = asked(descriptors[i]);
    }
    int found = Libc.poll(polled, polled.length, limitMs);
    if (found < 0) {
      if (Native.getLastError() == EINTR) {
        return 0;
      }
      throw failure("wait for a descriptor");
    }
    int readable = 0;
    for (int i = 0; found > 0 && i < polled.length; i++) {
      if (found(polled[i]) != 0) {
        readable |= 1 << i;
      }
    }
    return readable;
  }

  /** {@code struct pollfd}: the descriptor, what is asked for, and what is found. */
  private static long asked(int descriptor) {
    return Integer.toUnsignedLong(descriptor) | POLLIN << 32;
  }

  private static long found(long polled) {
    return polled >>> 48;
  }

  /** A function of the device to which a queue pair or a completion queue belongs. */
  private static long function(long element, int offset) {
    long context = longAt(element, VerbsLayout.QP_CONTEXT);
    return longAt(context, offset);
  }

  private static long longAt(long address, int offset) {
    return new Pointer(address).getLong(offset);
  }

  private static int intAt(long address, int offset) {
    return new Pointer(address).getInt(offset);
  }

  private static long created(long handle, String what) throws IOException {
    if (handle == 0) {
      throw failure(what);
    }
    return handle;
  }

  /** The device's functions return the error; errno is not kept. */
  private static void checkReturned(int result, String what) throws IOException {
    if (result != 0) {
      throw NativeCalls.failure(what, Math.abs(result));
    }
  }

  /** Some calls return the error, others -1. */
  private static void check(int result, String what) throws IOException {
    if (result != 0) {
      throw result > 0 ? NativeCalls.failure(what, result) : failure(what);
    }
  }

  /**
   * Checks a call that ends an object. EIO counts as success. The kernel answers it when the device
   * was removed or reset: it has taken the process's objects from the device before, and the NIC
   * has no access to the process's memory any more. So the memory may be unmapped, and a second
   * call would fail in the same way. What the library itself has allocated for the object stays
   * until the process ends.
   */
  static void checkEnded(int result, String what) throws IOException {
    if (result != EIO && (result >= 0 || Native.getLastError() != EIO)) {
      check(result, what);
    }
  }

  private static IOException failure(String what) {
    return NativeCalls.failure(what, Native.getLastError());
  }

  private static native long ibv_get_device_list(int[] count);

  private static native void ibv_free_device_list(long list);

  private static native String ibv_get_device_name(long device);

  private static native long ibv_open_device(long device);

  private static native int ibv_close_device(long context);

  private static native int ibv_query_device(long context, byte[] device);

  private static native int ibv_query_port(long context, byte port, byte[] state);

  private static native long ibv_alloc_pd(long context);

  private static native int ibv_dealloc_pd(long domain);

  private static native long ibv_reg_mr(long domain, long address, long lengthBytes, int access);

  private static native int ibv_dereg_mr(long registration);

  private static native long ibv_create_comp_channel(long context);

  private static native int ibv_get_cq_event(long channel, long[] queue, long[] queueContext);

  private static native void ibv_ack_cq_events(long queue, int count);

  private static native int ibv_destroy_comp_channel(long channel);

  private static native long ibv_create_cq(
      long context, int entries, long queueContext, long channel, int vector);

  private static native int ibv_destroy_cq(long queue);

  private static native long ibv_create_qp(long domain, byte[] attributes);

  private static native int ibv_modify_qp(long pair, byte[] attributes, int mask);

  private static native int ibv_destroy_qp(long pair);

  private static native int ibv_get_async_event(long context, byte[] event);

  private static native void ibv_ack_async_event(byte[] event);

  /** System calls. */
  private static final class Libc {
    private Libc() {}

    static native int eventfd(int start, int flags);

    static native long write(int descriptor, long[] from, long lengthBytes);

    static native int close(int descriptor);

    static native int fcntl(int descriptor, int command, int argument);

    static native int poll(long[] descriptors, long count, int limitMs);
  }
}
