package io.sluice.rdma.transport.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import com.ibm.disni.verbs.impl.NatIbvContext;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Stands under DiSNI in place of libdisni until it is closed: there are no bytes and no NIC, but
 * calls that fail when they are told to, and an account of what is not given back. Each IPv4
 * address belongs to a device of its own.
 *
 * <p>As with libdisni a registration or an id is closed before the call that ends it is made; one
 * whose call failed cannot be ended again.
 *
 * <p>Thread contract: safe from any thread.
 */
final class FakeVerbs extends RdmaProvider implements AutoCloseable {
  private static final int PORT = 4791;
  private static final int EBUSY = 16;
  private static final long LIMIT_SECONDS = 10;

  /** Thrown by a call after so many more of its kind. */
  private record Failure(int after, Throwable cause) {}

  private final Map<Object, String> live = Collections.synchronizedMap(new IdentityHashMap<>());
  private final Map<String, Failure> failures = Collections.synchronizedMap(new HashMap<>());
  private final BlockingQueue<RdmaCmEvent> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<RdmaCmId> accepted = new LinkedBlockingQueue<>();
  private final BlockingQueue<RdmaCmId> destroyed = new LinkedBlockingQueue<>();
  private final RdmaCm cm = new Cm();
  private final RdmaVerbs verbs = new Verbs();
  private final Object before;

  FakeVerbs() throws ReflectiveOperationException {
    before = installed().get(null);
    installed().set(null, this);
  }

  /** DiSNI takes whatever is there already. */
  private static Field installed() throws ReflectiveOperationException {
    Field installed = RdmaProvider.class.getDeclaredField("provider");
    installed.setAccessible(true);
    return installed;
  }

  @Override
  public void close() throws ReflectiveOperationException {
    installed().set(null, before);
  }

  /** Has a call fail, once, after so many more of its name have not. */
  void fail(String call, int after, Throwable cause) {
    failures.put(call, new Failure(after, cause));
  }

  /** What is not given back, by kinds. */
  List<String> live() {
    synchronized (live) {
      return live.values().stream().sorted().toList();
    }
  }

  /** A client asks at this address to be connected. */
  RdmaCmId connect(InetSocketAddress at) throws IOException {
    Id id = new Id(at);
    live.put(id, "id");
    happens(RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST, id);
    return id;
  }

  void happens(RdmaCmEvent.EventType type, RdmaCmId id) throws IOException {
    events.add(new RdmaCmEvent(type.ordinal(), null, id));
  }

  /** The next client who was accepted, or null if none is. */
  RdmaCmId nextAccepted() throws InterruptedException {
    return accepted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** The next id that was destroyed, or null if none is. */
  RdmaCmId nextDestroyed() throws InterruptedException {
    return destroyed.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private void call(String name) throws IOException {
    Throwable cause = due(name);
    if (cause instanceof IOException e) {
      throw e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
  }

  private Throwable due(String name) {
    synchronized (failures) {
      Failure failure = failures.remove(name);
      if (failure == null || failure.after() == 0) {
        return failure == null ? null : failure.cause();
      }
      failures.put(name, new Failure(failure.after() - 1, failure.cause()));
      return null;
    }
  }

  private boolean hasRegistrations(IbvPd domain) {
    synchronized (live) {
      return live.keySet().stream()
          .anyMatch(each -> each instanceof IbvMr mr && mr.getContext() == domain.getContext());
    }
  }

  private <T> T made(T object, String kind) {
    live.put(object, kind);
    return object;
  }

  @Override
  public RdmaCm openCm() {
    return cm;
  }

  @Override
  public RdmaVerbs openVerbs() {
    return verbs;
  }

  @Override
  public int getVersion() {
    return 0;
  }

  private final class Id extends RdmaCmId {
    private InetSocketAddress local;

    Id(InetSocketAddress local) throws IOException {
      super(null, null);
      this.local = local;
    }

    void hasPair(IbvQP pair) {
      setQp(pair);
    }

    @Override
    public IbvContext getVerbs() throws IOException {
      call("getVerbs");
      return new NatIbvContext(local.getAddress().hashCode(), null);
    }
  }

  private final class Cm extends RdmaCm {
    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
      call("createEventChannel");
      return made(new RdmaEventChannel(-1) {}, "channel");
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
      call("createId");
      return made(new Id(null), "id");
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd domain, IbvQPInitAttr attributes) throws IOException {
      call("createQP");
      ((Id) id).hasPair(made(new IbvQP(0), "pair"));
      return id.getQp();
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
      call("bindAddr");
      ((Id) id).local = new InetSocketAddress(((InetSocketAddress) address).getAddress(), PORT);
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
      call("listen");
    }

    @Override
    public void resolveAddr(RdmaCmId id, SocketAddress from, SocketAddress to, int timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMs) throws IOException {
      call("getCmEvent");
      try {
        return events.poll(timeoutMs, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
      call("accept");
      accepted.add(id);
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
      return 0;
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
      call("disconnect");
      return 0;
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
      call("destroyEventChannel");
      live.remove(channel);
      return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
      if (!id.isOpen()) {
        throw new IOException("the id is closed");
      }
      id.close();
      call("destroyCmId");
      live.remove(id);
      destroyed.add(id);
      return 0;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
      id.getQp().close();
      call("destroyQP");
      live.remove(id.getQp());
      return 0;
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) {
      return ((Id) id).local;
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
    }

    @Override
    public int destroyEp(RdmaCmId id) {
      throw new UnsupportedOperationException();
    }
  }

  private final class Verbs extends RdmaVerbs {
    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
      call("allocPd");
      return made(new IbvPd(context), "domain");
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
      call("createCompChannel");
      return made(new IbvCompChannel(-1, context) {}, "completion channel");
    }

    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector)
        throws IOException {
      call("createCQ");
      return made(new IbvCQ(context, channel, 0), "completion queue");
    }

    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ queue, int timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SVCRegMr regMr(IbvPd domain, ByteBuffer memory, int access) throws IOException {
      call("regMr");
      IbvMr registration =
          made(new IbvMr(domain.getContext(), 0, memory.capacity(), access, 0, 0, 0), "memory");
      return new SVCRegMr() {
        @Override
        public IbvMr getMr() {
          return registration;
        }

        @Override
        public SVCRegMr execute() {
          return this;
        }

        @Override
        public boolean isValid() {
          return true;
        }

        @Override
        public SVCRegMr free() {
          return this;
        }
      };
    }

    @Override
    public SVCRegMr regMr(IbvPd domain, long address, int lengthBytes, int access) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int queryOdpSupport(IbvContext context) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int expPrefetchMr(IbvMr registration, long address, int lengthBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SVCDeregMr deregMr(IbvMr registration) throws IOException {
      call("prepare deregMr");
      return new SVCDeregMr() {
        @Override
        public SVCDeregMr execute() throws IOException {
          if (!registration.isOpen()) {
            throw new IOException("the registration is closed");
          }
          registration.close();
          call("deregMr");
          live.remove(registration);
          return this;
        }

        @Override
        public boolean isValid() {
          return true;
        }

        @Override
        public SVCDeregMr free() {
          return this;
        }
      };
    }

    @Override
    public SVCPostSend postSend(IbvQP pair, List<IbvSendWR> requests, List<IbvSendWR> bad) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SVCPostRecv postRecv(IbvQP pair, List<IbvRecvWR> requests, List<IbvRecvWR> bad) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ queue, IbvWC[] completions, int entries) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ queue, boolean solicited) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int ackCqEvents(IbvCQ queue, int events) {
      return 0;
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
      channel.close();
      call("destroyCompChannel");
      live.remove(channel);
      return 0;
    }

    @Override
    public int deallocPd(IbvPd domain) throws IOException {
      call("deallocPd");
      if (hasRegistrations(domain)) {
        return EBUSY;
      }
      live.remove(domain);
      return 0;
    }

    @Override
    public int destroyCQ(IbvCQ queue) throws IOException {
      queue.close();
      call("destroyCQ");
      live.remove(queue);
      return 0;
    }
  }
}
