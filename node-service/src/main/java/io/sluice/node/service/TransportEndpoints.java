package io.sluice.node.service;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endpoints of all transports that serve readers; those of one transport are {@link
 * OwnerEndpoints}.
 *
 * <p>Thread contract: safe from any thread. Ownership: the service closes it, before the segments
 * that it serves. Failure: a transport that cannot listen is left out, with a line in the log; the
 * start fails if none can.
 */
public final class TransportEndpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransportEndpoints.class);

  private final Owner own;
  private final Map<String, OwnerEndpoints> endpoints = new LinkedHashMap<>(); // best first

  private TransportEndpoints(Owner own) {
    this.own = own;
  }

  static TransportEndpoints open(ServiceContext context, Owner own) throws IOException {
    TransportEndpoints opened = new TransportEndpoints(own);
    try {
      opened.listen(context);
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, opened::close);
      throw e;
    }
  }

  private void listen(ServiceContext context) throws IOException {
    List<TransportException> causes = new ArrayList<>();
    int index = 0;
    for (TransportProvider provider : context.transports()) {
      try {
        endpoints.put(
            provider.name(),
            OwnerEndpoints.open(
                provider.withRails(context.ports().rails()),
                context.ports().transport(index++),
                context.limits(),
                context.users() != null));
      } catch (TransportException e) {
        if (context.endsOnPortConflict() && PortPlan.isConflict(e)) {
          throw e;
        }
        LOG.warn("Not serving over {}: {}", provider.name(), e.getMessage());
        causes.add(e);
      }
    }
    if (endpoints.isEmpty()) {
      IOException none =
          new IOException(
              "no transport can listen: " + causes.stream().map(Throwable::getMessage).toList());
      causes.forEach(none::addSuppressed);
      throw none;
    }
  }

  /** By the names of their transports, best first. */
  Map<String, OwnerEndpoints> byTransport() {
    return endpoints;
  }

  /** Where each transport listens, best first, for messages. */
  public String listening() {
    return endpoints.keySet().stream()
        .map(transport -> transport + " at " + rails(transport))
        .collect(Collectors.joining(", "));
  }

  private String rails(String transport) {
    return endpoints.get(transport).rails(own).stream()
        .map(TransportEndpoints::text)
        .collect(Collectors.joining(" and "));
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + " port " + address.getPort();
  }

  /** Where a transport listens for readers that have a ticket. */
  public InetSocketAddress address(String transport) {
    return endpoints.get(transport).address(own);
  }

  /** Reads by transport. */
  Map<String, TransportCounters> counters() {
    Map<String, TransportCounters> result = new LinkedHashMap<>();
    endpoints.forEach((name, endpoint) -> result.put(name, endpoint.counters()));
    return result;
  }

  @Override
  public void close() {
    List<Runnable> ends = new ArrayList<>();
    endpoints.values().forEach(each -> ends.add(0, each::close));
    Closer.all(ends.stream());
  }
}
