package io.sluice.hadoop.reduce;

import io.sluice.hadoop.conf.NodeSettings.ControlPorts;
import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.wire.DeadlineChannel.ConnectTimeoutException;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.lang3.exception.ExceptionUtils;

/**
 * Asks the Sluice service of a host, at the first of its {@link ControlPorts} where it listens. A
 * port is skipped where nobody listens, where another program listens, or where a service does not
 * know the application. The port at which the service was found is asked first from then on.
 *
 * <p>Thread contract: safe from any thread. Failure: that of the first port. But a busy service
 * counts more than any other failure, and a service that does not know the application counts more
 * than a port without one.
 */
final class ServicePorts {
  private final int offset;
  private final Map<String, Integer> found = new ConcurrentHashMap<>();

  /** Nothing is asked yet; {@code offset} is the job's setting. */
  ServicePorts(int offset) {
    this.offset = offset;
  }

  /** Asks one address. */
  interface Question<T> {
    T ask(NodeAddress address) throws IOException;
  }

  /** Asks the service of the node that these outputs are on. */
  <T> T ask(Batch batch, Question<T> question) throws IOException {
    URL url = URI.create(batch.url()).toURL();
    IOException failure = null;
    for (int port : ports(batch.url(), url.getPort())) {
      try {
        T answer = question.ask(address(batch, url, port));
        found.put(batch.url(), port);
        return answer;
      } catch (IOException e) {
        failure = failure == null || weight(e) > weight(failure) ? e : failure;
        if (!mayBeSomebodyElse(e)) {
          break;
        }
      }
    }
    throw failure;
  }

  private List<Integer> ports(String handler, int shufflePort) throws IOException {
    List<Integer> ports = ControlPorts.of(shufflePort, offset);
    Integer first = found.get(handler);
    if (first == null) {
      return ports;
    }
    List<Integer> reordered = new ArrayList<>(ports);
    reordered.remove(first);
    reordered.add(0, first);
    return reordered;
  }

  private static NodeAddress address(Batch batch, URL url, int port) throws IOException {
    InetSocketAddress control = new InetSocketAddress(url.getHost(), port);
    if (control.isUnresolved()) {
      throw new UnknownHostException(url.getHost());
    }
    return new NodeAddress(batch.hostName(), control);
  }

  private static int weight(IOException failure) {
    if (failure instanceof NodeBusyException) {
      return 2;
    }
    return failure instanceof RemoteError ? 1 : 0;
  }

  /**
   * Whether to try the next port. A host or a firewall that lets nobody connect has no better one.
   */
  private static boolean mayBeSomebodyElse(IOException failure) {
    if (failure instanceof NodeBusyException) { // or a program that hangs up without a word
      return ExceptionUtils.indexOfType(failure, EOFException.class) >= 0;
    }
    if (failure instanceof RemoteError refusal) {
      return refusal.code() == RemoteError.Code.UNKNOWN_APPLICATION;
    }
    return failure instanceof ConnectException
        || failure instanceof ProtocolException
        || (failure instanceof SocketTimeoutException
            && !(failure instanceof ConnectTimeoutException));
  }
}
