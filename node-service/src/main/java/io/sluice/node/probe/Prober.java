package io.sluice.node.probe;

import io.sluice.node.remote.ProbeMessages;
import io.sluice.node.remote.ProbeOffer;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.ProtocolException;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.HostAndPort;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads another host's {@link ProbePattern} over every transport that both hosts have, as a reduce
 * task would read a map output, and measures it.
 *
 * <p>Thread contract: one thread. Ownership: everything it opens it closes. Failure: {@link
 * IOException} in plain words if the host cannot be asked; a transport that fails is a result.
 */
public final class Prober {
  private final List<TransportProvider> providers;
  private final ProbePlan plan;
  private final long timeoutMs;

  /**
   * @param providers the transports of this host, best first, whether they work here or not
   * @param timeoutMs the deadline of each step: connecting, asking, one read
   */
  public Prober(List<TransportProvider> providers, ProbePlan plan, long timeoutMs) {
    this.providers = List.copyOf(providers);
    this.plan = plan;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Probes the service whose control port is at {@code control}.
   *
   * @return one result for each transport that either host has, those of this one first
   */
  public List<ProbeResult> probe(InetSocketAddress control) throws IOException {
    Map<String, ProbeOffer> offered = new LinkedHashMap<>();
    ask(control).forEach(probe -> offered.put(probe.offer().transport(), probe));
    List<ProbeResult> results = new ArrayList<>();
    for (TransportProvider provider : providers) {
      results.add(probe(provider, offered.remove(provider.name()), control));
    }
    offered
        .keySet()
        .forEach(name -> results.add(ProbeResult.fails(name, "this host does not know it")));
    return results;
  }

  private List<ProbeOffer> ask(InetSocketAddress control) throws IOException {
    try {
      return ProbeMessages.ask(control, timeoutMs);
    } catch (SocketTimeoutException e) {
      throw failure(
          control, "did not answer within %s ms: it is down, behind a firewall, or not Sluice", e);
    } catch (ConnectException e) {
      throw failure(control, "cannot be reached; is its node service running?", e);
    } catch (EOFException e) {
      throw failure(
          control, "hung up: it is not a Sluice node service, or one too old for probes", e);
    } catch (ProtocolException e) {
      throw failure(control, "is not a Sluice node service of this version", e);
    }
  }

  private IOException failure(InetSocketAddress control, String what, IOException cause) {
    return new IOException(
        HostAndPort.of(control.getHostString(), control.getPort())
            + " "
            + what.formatted(timeoutMs),
        cause);
  }

  private ProbeResult probe(
      TransportProvider provider, ProbeOffer probe, InetSocketAddress control) {
    String name = provider.name();
    Optional<String> unavailable = provider.unavailabilityCause();
    if (unavailable.isPresent()) {
      return ProbeResult.fails(name, "does not work on this host: " + unavailable.get());
    }
    if (probe == null) {
      return ProbeResult.fails(name, "the other host does not offer it");
    }
    if (probe.region().isEmpty()) {
      return ProbeResult.fails(
          name, "the other host cannot register memory with it; its service's log says why");
    }
    try {
      return ProbeResult.works(
          name, measure(provider, probe.offer(), probe.region().get(), control));
    } catch (TransportException e) {
      return ProbeResult.fails(name, e.getMessage());
    }
  }

  private ProbeResult.Speed measure(
      TransportProvider provider,
      TransportOffer offer,
      RegionDescriptor region,
      InetSocketAddress control)
      throws TransportException {
    InetSocketAddress remote =
        offer.host().isEmpty()
            ? new InetSocketAddress(control.getAddress(), offer.port())
            : new InetSocketAddress(offer.host(), offer.port());
    ByteBuffer memory = OffHeap.allocate(plan.inFlight() * plan.bandwidthBytes());
    try (ClientEndpoint endpoint = provider.openClient();
        RegisteredBuffer landing = endpoint.register(memory);
        Connection connection = endpoint.connect(remote, timeoutMs)) {
      return new ProbeReads(plan, connection, region, landing, timeoutMs).measure();
    } finally {
      OffHeap.free(memory);
    }
  }
}
