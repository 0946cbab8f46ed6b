package io.sluice.hadoop.shuffle;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.task.Eligibility;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reduce side's entry: {@code mapreduce.job.reduce.shuffle.consumer.plugin.class}.
 *
 * <p>It decides once, before anything is read, whether Sluice or the stock shuffle does this task's
 * work; with Sluice, single map outputs may still come from stock ShuffleHandlers.
 *
 * <p>Thread contract: called by the reduce task's thread. Ownership: YARN's reduce task makes it
 * and closes it after a successful reduce only; a failed attempt ends with its process.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class SluiceShuffleConsumer<K, V> implements ShuffleConsumerPlugin<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceShuffleConsumer.class);

  private Context<K, V> context;
  private ShuffleConsumerPlugin<K, V> stock;
  private ReduceShuffle ours;

  /** Made by the reduce task. */
  public SluiceShuffleConsumer() {}

  @Override
  public void init(Context<K, V> context) {
    this.context = context;
    Optional<String> declined =
        context.getLocalMapFiles() != null
            ? Optional.of("the map outputs are files of this very process")
            : Eligibility.declineReason(
                context.getJobConf(), context.getReduceTask().getShuffleSecret());
    if (declined.isPresent()) {
      LOG.info("Sluice leaves this reduce to the stock shuffle: {}", declined.get());
      SluiceCounter.FALLBACK_REDUCE_TO_STOCK.add(context.getReporter(), 1);
      stock = new Shuffle<>();
      stock.init(context);
    }
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    if (stock != null) {
      return stock.run();
    }
    ours = new ReduceShuffle(context, System.getenv());
    return ours.run();
  }

  @Override
  public void close() {
    if (stock != null) {
      stock.close();
    } else if (ours != null) {
      try {
        ours.close();
      } catch (IOException e) {
        throw new UncheckedIOException("the shuffle did not close cleanly", e);
      }
    }
  }
}
