package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Pointer;
import io.sluice.rdma.memory.LockedMemoryLimit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A NIC with two devices in this process: it moves bytes between registered memory as a NIC does.
 * It checks states, protection domains, keys, access and bounds, and writes nothing through a queue
 * pair that was destroyed. What is live can be listed, and any call can be made to fail.
 *
 * <p>{@code fake0} has the GIDs of 127.0.0.1 and ::1, {@code fake1} that of 127.0.0.2. Both are in
 * partition 1, which they have at other indexes, and {@code fake1} is in partition 2, too.
 *
 * <p>Thread contract: safe from any thread; one thread of its own moves the bytes. Ownership: the
 * test closes it.
 */
final class FakeVerbs implements Verbs, AutoCloseable {
  static final int READS_SERVED = 16;
  static final int READS_ISSUED = 32;
  static final int MAX_REQUESTS = 100;
  private static final int ACCESS_REMOTE_WRITE = 1 << 1;
  private static final int ACCESS_REMOTE_ATOMIC = 1 << 3;
  private static final int INVALID_REQUEST = 9; // IBV_WC_REM_INV_REQ_ERR

  private final Path root;
  private final Map<Long, Object> live =
      new TreeMap<>(); // by handle; guarded by this, like the rest
  private final Map<Integer, Memory> memoryByKey = new HashMap<>();
  private final Map<Integer, Pair> pairsByNumber = new HashMap<>();
  private final Map<Integer, Boolean> wakers = new HashMap<>();
  private final Map<String, Fault> faults = new HashMap<>();
  private final Map<String, Integer> calls = new TreeMap<>();
  private final Deque<Request> requests = new ArrayDeque<>();
  private final Thread nic = new Thread(this::moveBytes, "fake-nic");
  private long nextHandle = 1 << 20;
  private int nextKey = 0x1000;
  private int mtuCode = 5;
  private int nextStatus = VerbsLayout.STATUS_SUCCESS;
  private int infinibandLid;
  private boolean needsGrh;
  private boolean withdrawn;
  private boolean losesReads;
  private boolean refusesOnDemand;
  private boolean closed;

  private record Fault(int after, Throwable cause) {}

  private record Context(String name, int descriptor, Deque<AsyncEvent> events) {}

  private record Domain(Context context) {}

  private record Memory(
      Domain domain, long address, long lengthBytes, int access, int localKey, int remoteKey) {}

  private static final class Channel {
    private final int descriptor;
    private int events;
    private Queue owner;

    private Channel(int descriptor) {
      this.descriptor = descriptor;
    }
  }

  private static final class Queue {
    private final Channel channel;
    private final int entries;
    private final Deque<long[]> completions = new ArrayDeque<>(); // id, status
    private boolean armed;
    private int takenEvents;
    private int pairs;

    private Queue(Channel channel, int entries) {
      this.channel = channel;
      this.entries = entries;
    }
  }

  private static final class Pair {
    private final long handle;
    private final Domain domain;
    private final Queue queue;
    private final int number;
    private final int maxRequests;
    private final Deque<Request> posted = new ArrayDeque<>();
    private int state;
    private int access;
    private int peer;
    private int receivePsn;
    private int sendPsn;
    private int served;
    private int issued;
    private ByteBuffer toInit;
    private ByteBuffer toReceive;
    private ByteBuffer toSend;

    private Pair(long handle, Domain domain, Queue queue, int number, int maxRequests) {
      this.handle = handle;
      this.domain = domain;
      this.queue = queue;
      this.number = number;
      this.maxRequests = maxRequests;
    }
  }

  private record Request(
      Pair pair,
      int operation,
      long id,
      long localAddress,
      int localKey,
      long remoteAddress,
      int remoteKey,
      int lengthBytes) {}

  /** Makes both devices, with what {@code /sys} and {@code /dev} show of them below a directory. */
  FakeVerbs(Path directory) throws IOException {
    root = Files.createDirectories(directory.resolve("fake-verbs"));
    device("fake0", 0, "127.0.0.1", "::1");
    device("fake1", 1, "127.0.0.2");
    partitions("fake0", "0xffff", "0x0000", "0x8001");
    partitions("fake1", "0xffff", "0x0001", "0x8002");
    Files.writeString(root.resolve("limits"), "Max locked memory  unlimited  unlimited  bytes\n");
    Files.writeString(root.resolve("status"), "VmPin: 0 kB\nCapEff: 0000000000000000\n");
    nic.setDaemon(true);
    nic.start();
  }

  private void device(String name, int number, String... addresses) throws IOException {
    Path device = Files.createDirectories(sysClass().resolve("infiniband").resolve(name));
    Files.writeString(device.resolve("node_type"), "1: CA\n");
    Path port = Files.createDirectories(device.resolve("ports/1"));
    Files.writeString(port.resolve("state"), "4: ACTIVE\n");
    Path gids = Files.createDirectories(port.resolve("gids"));
    Path types = Files.createDirectories(port.resolve("gid_attrs/types"));
    int index = 0;
    for (String address : addresses) {
      byte[] gid = GidTable.gid(InetAddress.getByName(address));
      for (String type : new String[] {"IB/RoCE v1", "RoCE v2"}) {
        Files.writeString(gids.resolve("" + index), text(gid) + "\n");
        Files.writeString(types.resolve("" + index), type + "\n");
        index++;
      }
    }
    Files.writeString(gids.resolve("" + index), text(new byte[16]) + "\n"); // has no type
    Files.createDirectories(devices());
    Files.writeString(devices().resolve("uverbs" + number), "");
  }

  private void partitions(String device, String... keys) throws IOException {
    Path table =
        Files.createDirectories(
            sysClass().resolve("infiniband").resolve(device).resolve("ports/1/pkeys"));
    for (int i = 0; i < keys.length; i++) {
      Files.writeString(table.resolve("" + i), keys[i] + "\n");
    }
  }

  /** Gives each device the addresses of the other one. */
  void exchangeAddresses() throws IOException {
    Path ports = sysClass().resolve("infiniband");
    for (String table : new String[] {"ports/1/gids", "ports/1/gid_attrs"}) {
      Path kept = Files.move(ports.resolve("fake0").resolve(table), root.resolve("exchanged"));
      Files.move(ports.resolve("fake1").resolve(table), ports.resolve("fake0").resolve(table));
      Files.move(kept, ports.resolve("fake1").resolve(table));
    }
  }

  /**
   * Makes {@code fake0} an InfiniBand device of the network interface that has 127.0.0.1.
   *
   * @param needsGrh whether its port demands a global route header
   * @param gids of the port, from index 0
   */
  void makeInfiniband(int lid, boolean needsGrh, byte[]... gids) throws IOException {
    String owner = NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1")).getName();
    Path net = sysClass().resolve("net").resolve(owner);
    Files.createDirectories(net.resolve("device/infiniband/fake0"));
    Files.writeString(net.resolve("dev_port"), "0\n");
    Path table = sysClass().resolve("infiniband/fake0/ports/1/gids");
    for (int index = 0; index < gids.length; index++) {
      Files.writeString(table.resolve("" + index), text(gids[index]) + "\n");
    }
    synchronized (this) {
      this.infinibandLid = lid;
      this.needsGrh = needsGrh;
    }
  }

  private static String text(byte[] gid) {
    return HexFormat.of().formatHex(gid).replaceAll("(.{4})(?=.)", "$1:");
  }

  Path sysClass() {
    return root.resolve("class");
  }

  Path devices() {
    return root.resolve("infiniband");
  }

  LockedMemoryLimit limit() {
    return new LockedMemoryLimit(root.resolve("limits"), root.resolve("status"));
  }

  VerbsProvider provider() {
    return provider(VerbsNetwork.DEFAULT);
  }

  VerbsProvider provider(VerbsNetwork network) {
    return new VerbsProvider(
        () -> this,
        sysClass(),
        new VerbsAvailability(sysClass(), devices(), limit()),
        network,
        List.of());
  }

  /** Lets a call fail from its next one on, after {@code after} more that succeed. */
  synchronized void fail(String call, int after, Throwable cause) {
    faults.put(call, new Fault(after, cause));
  }

  synchronized void failNoMore() {
    faults.clear();
  }

  /** The status of the next read that is posted. */
  synchronized void failNextRead(int status) {
    servePosted();
    nextStatus = status;
  }

  /** Changes the MTU of all ports. */
  synchronized void setMtu(int code) {
    mtuCode = code;
  }

  /** Reads stay unanswered from now on, as if the wire were cut. */
  synchronized void loseReads() {
    losesReads = true;
  }

  /** Both devices must pin what they register from now on. */
  synchronized void refuseOnDemand() {
    refusesOnDemand = true;
  }

  /** Reports an event of all opened contexts of a device. */
  synchronized void report(String device, int type, long element) {
    for (Object each : live.values()) {
      if (each instanceof Context context && context.name().equals(device)) {
        context.events().add(new AsyncEvent(type, element));
      }
    }
    notifyAll();
  }

  /**
   * Makes devices readable, and takes the event away before it is read, as the kernel does with the
   * events of a queue pair that is destroyed.
   */
  synchronized void reportAndWithdraw() {
    withdrawn = true;
    notifyAll();
  }

  /** Whether no thread is about to find out that an event was taken away. */
  synchronized boolean isWithdrawalSeen() {
    return !withdrawn;
  }

  /** Kinds of the native objects that are not destroyed. */
  synchronized List<String> live() {
    List<String> names = new ArrayList<>();
    live.values().forEach(each -> names.add(each.getClass().getSimpleName()));
    wakers.keySet().forEach(each -> names.add("Waker"));
    names.sort(null);
    return names;
  }

  /** The names of all calls that were made. */
  synchronized Collection<String> calls() {
    return List.copyOf(calls.keySet());
  }

  /** How often a call was made. */
  synchronized int calls(String name) {
    return calls.getOrDefault(name, 0);
  }

  /** Handles of all queue pairs. */
  synchronized List<Long> pairs() {
    return pairsByNumber.values().stream().map(pair -> pair.handle).toList();
  }

  /** Access of all live memory. */
  synchronized List<Integer> memoryAccess() {
    return memoryByKey.values().stream().map(Memory::access).distinct().sorted().toList();
  }

  /** Access of all live queue pairs. */
  synchronized List<Integer> pairAccess() {
    return pairsByNumber.values().stream().map(pair -> pair.access).distinct().sorted().toList();
  }

  /** What a connected queue pair was told of the network. */
  record PairNetwork(
      String device,
      int trafficClass,
      int serviceLevel,
      int partitionIndex,
      int timeoutCode,
      int retryCount,
      int mtuCode) {}

  /** That of all live queue pairs, which must be connected, by device. */
  synchronized List<PairNetwork> networks() {
    return pairsByNumber.values().stream()
        .map(FakeVerbs::network)
        .sorted(Comparator.comparing(PairNetwork::device))
        .toList();
  }

  private static PairNetwork network(Pair pair) {
    return new PairNetwork(
        pair.domain.context().name(),
        Byte.toUnsignedInt(pair.toReceive.get(VerbsLayout.ATTR_TRAFFIC_CLASS)),
        pair.toReceive.get(VerbsLayout.ATTR_SL),
        pair.toInit.getShort(VerbsLayout.ATTR_PKEY_INDEX),
        pair.toSend.get(VerbsLayout.ATTR_TIMEOUT),
        pair.toSend.get(VerbsLayout.ATTR_RETRY_CNT),
        pair.toReceive.getInt(VerbsLayout.ATTR_PATH_MTU));
  }

  /** Where the packets of a connected queue pair go. */
  record PairRoute(boolean global, int lid, int gidIndex, String gid) {}

  /** That of all live queue pairs, which must be connected. */
  synchronized List<PairRoute> routes() {
    return pairsByNumber.values().stream().map(pair -> route(pair.toReceive)).toList();
  }

  private static PairRoute route(ByteBuffer attributes) {
    byte[] gid = new byte[QueuePairAddress.GID_BYTES];
    attributes.get(VerbsLayout.ATTR_DGID, gid);
    return new PairRoute(
        attributes.get(VerbsLayout.ATTR_IS_GLOBAL) == 1,
        Short.toUnsignedInt(attributes.getShort(VerbsLayout.ATTR_DLID)),
        attributes.get(VerbsLayout.ATTR_SGID_INDEX),
        text(gid));
  }

  private void call(String name) throws IOException {
    calls.merge(name, 1, Integer::sum);
    Fault fault = faults.get(name);
    if (fault == null) {
      return;
    }
    if (fault.after() > 0) {
      faults.put(name, new Fault(fault.after() - 1, fault.cause()));
    } else if (fault.cause() instanceof Error error) {
      throw error;
    } else {
      throw (IOException) fault.cause();
    }
  }

  private long made(Object object) {
    live.put(nextHandle, object);
    return nextHandle++;
  }

  private <T> T get(Class<T> kind, long handle) {
    Object object = live.get(handle);
    if (object == null) {
      throw new IllegalStateException("use of " + kind.getSimpleName() + " after its destruction");
    }
    return kind.cast(object);
  }

  private int descriptor() {
    return (int) nextHandle++;
  }

  @Override
  public synchronized List<String> deviceNames() throws IOException {
    call("deviceNames");
    return List.of("fake0", "fake1");
  }

  @Override
  public synchronized long open(String deviceName) throws IOException {
    call("open");
    call("open " + deviceName);
    return made(new Context(deviceName, descriptor(), new ArrayDeque<>()));
  }

  @Override
  public synchronized void close(long context) throws IOException {
    Context closing = get(Context.class, context);
    call("close");
    assertEquals(
        0,
        live.values().stream()
            .filter(each -> each instanceof Domain domain && domain.context() == closing)
            .count(),
        "a device is closed before its domains");
    live.remove(context);
  }

  @Override
  public synchronized DeviceLimits limits(long context) throws IOException {
    call("limits");
    return new DeviceLimits(MAX_REQUESTS, 1 << 16, READS_SERVED, READS_ISSUED);
  }

  @Override
  public synchronized PortState port(long context, int port) throws IOException {
    call("port");
    String device = get(Context.class, context).name();
    call("port " + device);
    assertEquals(1, port);
    boolean infiniband = infinibandLid != 0 && device.equals("fake0");
    return infiniband
        ? new PortState(true, mtuCode, infinibandLid, true, needsGrh, 1L << 31)
        : new PortState(true, mtuCode, 0, false, false, 1L << 31);
  }

  @Override
  public synchronized long allocateDomain(long context) throws IOException {
    call("allocateDomain");
    return made(new Domain(get(Context.class, context)));
  }

  @Override
  public synchronized void freeDomain(long domain) throws IOException {
    Domain freed = get(Domain.class, domain);
    call("freeDomain");
    if (memoryByKey.values().stream().anyMatch(memory -> memory.domain() == freed)
        || pairsByNumber.values().stream().anyMatch(pair -> pair.domain == freed)) {
      throw new IOException("EBUSY: a queue pair or a registration is still there");
    }
    live.remove(domain);
  }

  @Override
  public synchronized Registration register(long domain, long address, long lengthBytes, int access)
      throws IOException {
    call("register");
    call("register " + get(Domain.class, domain).context().name());
    if (refusesOnDemand && (access & VerbsLayout.ACCESS_ON_DEMAND) != 0) {
      throw new IOException("EOPNOTSUPP");
    }
    int key = nextKey;
    nextKey += 2;
    Memory memory =
        new Memory(get(Domain.class, domain), address, lengthBytes, access, key, key + 1);
    memoryByKey.put(key, memory);
    memoryByKey.put(key + 1, memory);
    return new Registration(made(memory), key, key + 1);
  }

  @Override
  public synchronized void deregister(long registration) throws IOException {
    Memory memory = get(Memory.class, registration);
    call("deregister");
    memoryByKey.remove(memory.localKey());
    memoryByKey.remove(memory.remoteKey());
    live.remove(registration);
  }

  @Override
  public synchronized long createChannel(long context) throws IOException {
    call("createChannel");
    get(Context.class, context);
    return made(new Channel(descriptor()));
  }

  @Override
  public synchronized int channelDescriptor(long channel) {
    return get(Channel.class, channel).descriptor;
  }

  @Override
  public synchronized void takeEvent(long channel) throws IOException {
    call("takeEvent");
    Channel taken = get(Channel.class, channel);
    if (taken.events == 0) {
      throw new IllegalStateException("this would wait for ever");
    }
    taken.events--;
    taken.owner.takenEvents++;
  }

  @Override
  public synchronized void destroyChannel(long channel) throws IOException {
    Channel destroyed = get(Channel.class, channel);
    call("destroyChannel");
    if (live.containsValue(destroyed.owner)) {
      throw new IOException("EBUSY: the channel's queue is still there");
    }
    live.remove(channel);
  }

  @Override
  public synchronized long createQueue(long context, int entries, long channel) throws IOException {
    call("createQueue");
    get(Context.class, context);
    Queue queue = new Queue(channel == 0 ? null : get(Channel.class, channel), entries);
    if (queue.channel != null) {
      queue.channel.owner = queue;
    }
    return made(queue);
  }

  @Override
  public synchronized void requestEvent(long queue) throws IOException {
    call("requestEvent");
    get(Queue.class, queue).armed = true;
  }

  @Override
  public synchronized int poll(long queue, int most, long completions) throws IOException {
    call("poll");
    Queue polled = get(Queue.class, queue);
    ByteBuffer to = memory(completions, most * VerbsLayout.WC_BYTES);
    int taken = 0;
    for (; taken < most && !polled.completions.isEmpty(); taken++) {
      long[] completion = polled.completions.remove();
      to.putLong(taken * VerbsLayout.WC_BYTES + VerbsLayout.WC_ID, completion[0]);
      to.putInt(taken * VerbsLayout.WC_BYTES + VerbsLayout.WC_STATUS, (int) completion[1]);
    }
    return taken;
  }

  @Override
  public synchronized void destroyQueue(long queue, int takenEvents) throws IOException {
    Queue destroyed = get(Queue.class, queue);
    call("destroyQueue");
    assertEquals(destroyed.takenEvents, takenEvents, "libibverbs would wait for the others");
    if (destroyed.pairs > 0) {
      throw new IOException("EBUSY: a queue pair still uses the completion queue");
    }
    live.remove(queue);
  }

  @Override
  public synchronized long createPair(long domain, long queue, int maxRequests) throws IOException {
    call("createPair");
    Queue completions = get(Queue.class, queue);
    Pair pair =
        new Pair(nextHandle, get(Domain.class, domain), completions, nextKey++, maxRequests);
    completions.pairs++;
    pairsByNumber.put(pair.number, pair);
    return made(pair);
  }

  @Override
  public synchronized int pairNumber(long pair) {
    return get(Pair.class, pair).number;
  }

  @Override
  public synchronized void modify(long pair, byte[] attributes, int mask) throws IOException {
    Pair changed = get(Pair.class, pair);
    ByteBuffer struct = VerbsLayout.wrap(attributes);
    int state = struct.getInt(VerbsLayout.ATTR_STATE);
    call("modify to " + state);
    switch (state) {
      case VerbsLayout.STATE_INIT -> {
        assertEquals(VerbsLayout.MASK_INIT, mask);
        assertEquals(0, changed.state);
        changed.toInit = struct;
        changed.access = struct.getInt(VerbsLayout.ATTR_ACCESS_FLAGS);
        assertEquals(1, struct.get(VerbsLayout.ATTR_PORT_NUM));
      }
      case VerbsLayout.STATE_RTR -> {
        assertEquals(VerbsLayout.MASK_RTR, mask);
        assertEquals(VerbsLayout.STATE_INIT, changed.state);
        changed.toReceive = struct;
        assertTrue(struct.getInt(VerbsLayout.ATTR_PATH_MTU) <= mtuCode, "not the MTU of now");
        assertEquals(1, struct.get(VerbsLayout.ATTR_AH_PORT_NUM));
        if (infinibandLid == 0) {
          assertEquals(1, struct.get(VerbsLayout.ATTR_IS_GLOBAL));
          assertEquals(1, struct.get(VerbsLayout.ATTR_SGID_INDEX) % 2, "not RoCE v2");
        }
        changed.peer = struct.getInt(VerbsLayout.ATTR_DEST_QP_NUM);
        changed.receivePsn = struct.getInt(VerbsLayout.ATTR_RQ_PSN);
        changed.served = struct.get(VerbsLayout.ATTR_MAX_DEST_RD_ATOMIC);
        assertTrue(changed.served > 0 && changed.served <= READS_SERVED);
      }
      case VerbsLayout.STATE_RTS -> {
        assertEquals(VerbsLayout.MASK_RTS, mask);
        assertEquals(VerbsLayout.STATE_RTR, changed.state);
        changed.toSend = struct;
        changed.sendPsn = struct.getInt(VerbsLayout.ATTR_SQ_PSN);
        changed.issued = struct.get(VerbsLayout.ATTR_MAX_RD_ATOMIC);
        assertTrue(changed.issued > 0 && changed.issued <= READS_ISSUED);
      }
      case VerbsLayout.STATE_ERROR -> assertEquals(VerbsLayout.MASK_ERROR, mask);
      default -> throw new IOException("EINVAL");
    }
    changed.state = state;
    if (state == VerbsLayout.STATE_ERROR) {
      flush(changed);
    }
  }

  @Override
  public synchronized void post(long pair, long first) throws IOException {
    call("post");
    Pair poster = get(Pair.class, pair);
    for (long at = first; at != 0; ) {
      ByteBuffer request = memory(at, VerbsLayout.WR_BYTES);
      int operation = request.getInt(VerbsLayout.WR_OPCODE);
      assertEquals(VerbsLayout.SEND_SIGNALED, request.getInt(VerbsLayout.WR_SEND_FLAGS));
      assertEquals(1, request.getInt(VerbsLayout.WR_NUM_SGE));
      ByteBuffer piece = memory(request.getLong(VerbsLayout.WR_SG_LIST), VerbsLayout.SGE_BYTES);
      Request posted =
          new Request(
              poster,
              operation,
              request.getLong(VerbsLayout.WR_ID),
              piece.getLong(VerbsLayout.SGE_ADDR),
              piece.getInt(VerbsLayout.SGE_LKEY),
              request.getLong(VerbsLayout.WR_REMOTE_ADDR),
              request.getInt(
                  isAtomic(operation) ? RawVerbsClient.WR_ATOMIC_RKEY : VerbsLayout.WR_RKEY),
              piece.getInt(VerbsLayout.SGE_LENGTH));
      if (poster.posted.size() == poster.maxRequests) {
        throw new IOException("ENOMEM: the send queue is full");
      }
      poster.posted.add(posted);
      requests.add(posted);
      at = request.getLong(VerbsLayout.WR_NEXT);
    }
    if (poster.state == VerbsLayout.STATE_ERROR) {
      flush(poster);
    }
    notifyAll();
  }

  @Override
  public synchronized void destroyPair(long pair) throws IOException {
    Pair destroyed = get(Pair.class, pair);
    call("destroyPair");
    call(destroyed.access == 0 ? "destroyPair of a reader" : "destroyPair of a server");
    destroyed.posted.clear();
    destroyed.queue.pairs--;
    pairsByNumber.remove(destroyed.number);
    destroyed.domain.context().events().removeIf(event -> event.element() == pair);
    live.remove(pair);
  }

  @Override
  public synchronized int asyncDescriptor(long context) {
    return get(Context.class, context).descriptor();
  }

  @Override
  public boolean takeAsyncEvent(long context, Consumer<AsyncEvent> handler) throws IOException {
    AsyncEvent event;
    synchronized (this) {
      call("takeAsyncEvent");
      withdrawn = false;
      event = get(Context.class, context).events().poll();
    }
    if (event != null) {
      handler.accept(event);
    }
    return event != null;
  }

  @Override
  public synchronized int createWaker() throws IOException {
    call("createWaker");
    int waker = descriptor();
    wakers.put(waker, false);
    return waker;
  }

  @Override
  public synchronized void wake(int waker) throws IOException {
    call("wake");
    if (wakers.replace(waker, true) == null) {
      throw new IllegalStateException("use of a waker after its end");
    }
    notifyAll();
  }

  @Override
  public synchronized void closeWaker(int waker) throws IOException {
    call("closeWaker");
    if (wakers.remove(waker) == null) {
      throw new IllegalStateException("a waker is closed twice");
    }
  }

  @Override
  public synchronized int await(int[] descriptors, int limitMs) throws IOException {
    call("await");
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    while (true) {
      int readable = 0;
      for (int i = 0; i < descriptors.length; i++) {
        readable |= isReadable(descriptors[i]) ? 1 << i : 0;
      }
      long leftNanos = deadlineNanos - System.nanoTime();
      if (readable != 0 || leftNanos <= 0) {
        return readable;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
      } catch (InterruptedException e) {
        return 0;
      }
    }
  }

  private boolean isReadable(int descriptor) {
    if (wakers.containsKey(descriptor)) {
      return wakers.get(descriptor);
    }
    for (Object each : live.values()) {
      if (each instanceof Channel channel && channel.descriptor == descriptor) {
        return channel.events > 0;
      }
      if (each instanceof Context context && context.descriptor() == descriptor) {
        return withdrawn || !context.events().isEmpty();
      }
    }
    throw new IllegalStateException("a wait for a descriptor that is closed");
  }

  private synchronized void moveBytes() {
    while (!closed) {
      servePosted();
      try {
        wait();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void servePosted() {
    for (Request request = requests.poll(); request != null; request = requests.poll()) {
      serve(request);
    }
  }

  private void serve(Request request) {
    Pair reader = request.pair();
    Pair server = pairsByNumber.get(reader.peer);
    if (reader.state != VerbsLayout.STATE_RTS || !reader.posted.contains(request)) {
      return; // flushed, or destroyed
    }
    if ((losesReads && nextStatus == VerbsLayout.STATUS_SUCCESS)
        || server == null
        || server.peer != reader.number
        || server.receivePsn != reader.sendPsn
        || server.state < VerbsLayout.STATE_RTR
        || server.state > VerbsLayout.STATE_RTS) {
      return; // no answer comes
    }
    if (reader.issued < 1 || reader.issued > server.served) {
      throw new IllegalStateException("more reads under way than the server answers");
    }
    int status = nextStatus;
    nextStatus = VerbsLayout.STATUS_SUCCESS;
    if (status == VerbsLayout.STATUS_SUCCESS) {
      status = move(request, reader, server);
    }
    reader.posted.remove(request);
    complete(reader, request.id(), status);
    if (status != VerbsLayout.STATUS_SUCCESS) {
      reader.state = VerbsLayout.STATE_ERROR;
      flush(reader);
    }
    if (status == VerbsLayout.STATUS_REMOTE_ACCESS) {
      refuse(server, VerbsLayout.EVENT_QP_ACCESS_ERR);
    } else if (status == INVALID_REQUEST) {
      refuse(server, VerbsLayout.EVENT_QP_REQ_ERR);
    }
  }

  private void refuse(Pair server, int event) {
    server.state = VerbsLayout.STATE_ERROR;
    server.domain.context().events().add(new AsyncEvent(event, server.handle));
    notifyAll();
  }

  private static boolean isAtomic(int operation) {
    return operation == RawVerbsClient.COMPARE_AND_SWAP
        || operation == RawVerbsClient.FETCH_AND_ADD;
  }

  private static int neededAccess(int operation) {
    return operation == VerbsLayout.WR_RDMA_READ
        ? VerbsLayout.ACCESS_REMOTE_READ
        : isAtomic(operation) ? ACCESS_REMOTE_ATOMIC : ACCESS_REMOTE_WRITE;
  }

  private int move(Request request, Pair reader, Pair server) {
    int needed = neededAccess(request.operation());
    if ((server.access & needed) == 0) {
      return INVALID_REQUEST;
    }
    Memory from = memoryByKey.get(request.remoteKey());
    if (from == null
        || from.remoteKey() != request.remoteKey()
        || !allows(from, server.domain, needed, request.remoteAddress(), request.lengthBytes())) {
      return VerbsLayout.STATUS_REMOTE_ACCESS;
    }
    Memory to = memoryByKey.get(request.localKey());
    if (to == null
        || to.localKey() != request.localKey()
        || !allows(
            to,
            reader.domain,
            VerbsLayout.ACCESS_LOCAL_WRITE,
            request.localAddress(),
            request.lengthBytes())) {
      return 4; // IBV_WC_LOC_PROT_ERR
    }
    memory(request.localAddress(), request.lengthBytes())
        .put(memory(request.remoteAddress(), request.lengthBytes()));
    return VerbsLayout.STATUS_SUCCESS;
  }

  private static boolean allows(
      Memory memory, Domain domain, int access, long address, int lengthBytes) {
    return memory.domain() == domain
        && (memory.access() & access) != 0
        && address >= memory.address()
        && address - memory.address() <= memory.lengthBytes() - lengthBytes;
  }

  private void flush(Pair pair) {
    while (!pair.posted.isEmpty()) {
      complete(pair, pair.posted.remove().id(), VerbsLayout.STATUS_FLUSHED);
    }
  }

  private void complete(Pair pair, long id, int status) {
    Queue queue = pair.queue;
    if (queue.completions.size() == queue.entries) {
      throw new IllegalStateException("the completion queue overruns");
    }
    queue.completions.add(new long[] {id, status});
    if (queue.armed) {
      queue.armed = false;
      queue.channel.events++;
      notifyAll();
    }
  }

  private static ByteBuffer memory(long address, long lengthBytes) {
    return new Pointer(address).getByteBuffer(0, lengthBytes).order(ByteOrder.nativeOrder());
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
  }
}
