package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls of libibverbs that the provider makes, and the system calls to wait for them. Handles
 * are addresses of native objects. {@link LibVerbs} makes the calls; tests have a NIC of their own.
 *
 * <p>Thread contract: safe from any thread, but a handle must not be used after its destruction.
 * Ownership: the caller that created an object destroys it, the last one first. Failure: {@link
 * IOException} with the system's text; the object is then as it was before.
 */
interface Verbs {
  /** Names of the devices for which libibverbs has a driver, such as {@code mlx5_0}. */
  List<String> deviceNames() throws IOException;

  /** Opens a device, by its name. */
  long open(String deviceName) throws IOException;

  void close(long context) throws IOException;

  DeviceLimits limits(long context) throws IOException;

  PortState port(long context, int port) throws IOException;

  long allocateDomain(long context) throws IOException;

  void freeDomain(long domain) throws IOException;

  /**
   * Registers memory.
   *
   * @param access {@code VerbsLayout.ACCESS_*}
   */
  Registration register(long domain, long address, long lengthBytes, int access) throws IOException;

  /** Deregisters memory; after it returns, the NIC does not use it. */
  void deregister(long registration) throws IOException;

  /** Creates a channel, whose descriptor is readable when a completion has come. */
  long createChannel(long context) throws IOException;

  int channelDescriptor(long channel);

  /** Takes the event of a readable channel; {@link #destroyQueue} must know how many were taken. */
  void takeEvent(long channel) throws IOException;

  void destroyChannel(long channel) throws IOException;

  /**
   * Creates a completion queue.
   *
   * @param channel the channel of its events; 0 if it has none
   */
  long createQueue(long context, int entries, long channel) throws IOException;

  /** Asks for an event at the next completion. */
  void requestEvent(long queue) throws IOException;

  /**
   * Takes completions.
   *
   * @param completions the address of memory for {@code most} of {@code VerbsLayout.WC_BYTES}
   * @return how many were taken
   */
  int poll(long queue, int most, long completions) throws IOException;

  void destroyQueue(long queue, int takenEvents) throws IOException;

  /**
   * Creates a reliable queue pair.
   *
   * @param requests how many reads may be posted at a time
   */
  long createPair(long domain, long queue, int requests) throws IOException;

  int pairNumber(long pair);

  /**
   * Changes a queue pair.
   *
   * @param attributes see {@link VerbsLayout}
   */
  void modify(long pair, byte[] attributes, int mask) throws IOException;

  /**
   * Posts work requests.
   *
   * @param requests the address of the first one, which leads to the others
   */
  void post(long pair, long requests) throws IOException;

  /** Destroys a queue pair; after it returns, the NIC neither reads nor writes through it. */
  void destroyPair(long pair) throws IOException;

  /** A descriptor that is readable when the device has an event. */
  int asyncDescriptor(long context);

  /**
   * Takes the next event of a device; does not wait.
   *
   * @param handler is given the event; its queue pair is not destroyed before this returns, so the
   *     handler must not wait for that
   * @return false if there is none: the end of its queue pair may have taken it away again
   */
  boolean takeAsyncEvent(long context, Consumer<AsyncEvent> handler) throws IOException;

  /** Creates a descriptor that {@link #wake} makes readable, for good. */
  int createWaker() throws IOException;

  void wake(int waker) throws IOException;

  void closeWaker(int waker) throws IOException;

  /**
   * Waits until a descriptor is readable or broken.
   *
   * @return bit i for descriptor i; 0 if none was within {@code limitMs}
   */
  int await(int[] descriptors, int limitMs) throws IOException;

  /**
   * The limits of a device.
   *
   * @param maxRequests work requests of a queue pair
   * @param maxCompletions entries of a completion queue
   * @param maxReadsServed reads that a queue pair answers at a time
   * @param maxReadsIssued reads that a queue pair has under way at a time
   */
  record DeviceLimits(
      int maxRequests, int maxCompletions, int maxReadsServed, int maxReadsIssued) {}

  /**
   * The state of a port.
   *
   * @param active whether it is up
   * @param mtu the code of its MTU, {@code enum ibv_mtu}: 1 for 256 bytes to 5 for 4096
   * @param lid its address on InfiniBand
   * @param infiniband whether it is no Ethernet port
   * @param needsGrh whether it demands a global route header in each packet, as virtual functions
   *     do
   * @param maxMessageBytes the longest read
   */
  record PortState(
      boolean active,
      int mtu,
      int lid,
      boolean infiniband,
      boolean needsGrh,
      long maxMessageBytes) {}

  /** Registered memory, with the keys by which this host and its peers name it. */
  record Registration(long handle, int localKey, int remoteKey) {}

  /**
   * An event of a device.
   *
   * @param type {@code VerbsLayout.EVENT_*}, or another of {@code enum ibv_event_type}
   * @param element the queue pair, the completion queue, or the number of the port
   */
  record AsyncEvent(int type, long element) {}
}
