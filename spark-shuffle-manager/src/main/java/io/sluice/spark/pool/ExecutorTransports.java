package io.sluice.spark.pool;

import io.sluice.node.client.Transports;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.conf.SparkSettings;
import java.util.List;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transports that an executor serves and reads with, found out once, because trying one may
 * load its library and open its devices.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ExecutorTransports {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorTransports.class);

  /** What is read at a time. */
  public static final int WINDOW_BYTES = 256 << 10;

  private final SparkConf conf;
  private List<TransportProvider> bestFirst;

  /** Nothing is tried yet. */
  public ExecutorTransports(SparkConf conf) {
    this.conf = conf;
  }

  /**
   * The reading side of them, or of the best alone where no other may take over; opened when it is
   * first needed; the caller closes it.
   *
   * @throws TransportException as {@link #bestFirst}
   */
  public Transports forReading() throws TransportException {
    long budgetBytes = SparkSettings.READ_BUFFER_BYTES.get(SparkSettings.of(conf));
    List<TransportProvider> allowed =
        SparkFallbackPolicy.of(conf) == SparkFallbackPolicy.NEVER
            ? bestFirst().subList(0, 1)
            : bestFirst();
    return new Transports(allowed, WINDOW_BYTES, budgetBytes);
  }

  /**
   * Those that work here, best first.
   *
   * @throws TransportException if the one that is asked for by name does not
   */
  public synchronized List<TransportProvider> bestFirst() throws TransportException {
    if (bestFirst == null) {
      TransportChooser chooser = TransportChooser.standard();
      TransportChooser.Choice choice =
          chooser.choose(SparkSettings.TRANSPORT.get(SparkSettings.of(conf)));
      LOG.info("{}", choice.reason());
      bestFirst = chooser.withFallbacks(choice);
    }
    return bestFirst;
  }

  /** Names of those that work here, best first; none before they were found out. */
  public synchronized List<String> found() {
    return bestFirst == null ? List.of() : bestFirst.stream().map(TransportProvider::name).toList();
  }
}
