package io.sluice.spark.pool;

import io.sluice.node.client.Transports;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.conf.SparkSettings;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transports that an executor serves and reads with. They are probed once, because a probe may
 * load a library and open devices.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ExecutorTransports {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorTransports.class);

  /** Length of a window: the bytes of one remote read. */
  public static final int WINDOW_BYTES = 256 << 10;

  private final SparkConf conf;
  private List<TransportProvider> reading; // null: not probed yet, like the next
  private List<TransportProvider> serving;

  /** Probes nothing yet. */
  public ExecutorTransports(SparkConf conf) {
    this.conf = conf;
  }

  /**
   * The transports to read with, one for each node if no other may take over. They open when they
   * are first needed, and the caller closes them.
   *
   * @throws TransportException as {@link #serving}
   */
  public Transports forReading() throws TransportException {
    long budgetBytes = SparkSettings.READ_BUFFER_BYTES.get(SparkSettings.of(conf));
    Transports transports = new Transports(reading(), WINDOW_BYTES, budgetBytes);
    return mayFallBack() ? transports : transports.oneForEachNode();
  }

  private boolean mayFallBack() {
    return SparkFallbackPolicy.of(conf) != SparkFallbackPolicy.NEVER;
  }

  /**
   * The transports that an executor's pool is served over, best first: the chosen one, and {@code
   * tcp}.
   *
   * @throws TransportException if the setting names a transport that does not work
   */
  public synchronized List<TransportProvider> serving() throws TransportException {
    probe();
    return serving;
  }

  private synchronized List<TransportProvider> reading() throws TransportException {
    probe();
    return reading;
  }

  private void probe() throws TransportException {
    if (serving == null) {
      UnaryOperator<String> settings = SparkSettings.of(conf);
      TransportChooser chooser = TransportChooser.standard(SparkSettings.VERBS.get(settings));
      TransportChooser.Choice choice = chooser.choose(SparkSettings.TRANSPORT.get(settings));
      LOG.info("{}", choice.reason());
      reading = chooser.reading(choice, mayFallBack());
      serving = chooser.serving(choice);
    }
  }

  /** Names of the transports that are served over, best first; none before the probe. */
  public synchronized List<String> found() {
    return serving == null ? List.of() : serving.stream().map(TransportProvider::name).toList();
  }
}
