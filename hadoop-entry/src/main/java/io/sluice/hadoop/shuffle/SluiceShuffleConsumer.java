package io.sluice.hadoop.shuffle;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.entry.Implementation;
import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.io.IOException;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reduce side's entry: {@code mapreduce.job.reduce.shuffle.consumer.plugin.class}.
 *
 * <p>It decides once, before it reads anything, whether Sluice or the stock shuffle does this
 * task's work. It is Java 8 bytecode; see {@link JavaVersion}.
 *
 * <p>Thread contract: called by the reduce task's thread. Ownership: the reduce task creates it and
 * closes it after a successful reduce only; a failed attempt ends with its process. Failure: that
 * of the chosen shuffle; {@link #init} throws {@link IllegalStateException} if the job's {@link
 * FallbackPolicy} allows none.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class SluiceShuffleConsumer<K, V> implements ShuffleConsumerPlugin<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceShuffleConsumer.class);
  private static final String IMPLEMENTATION = "io.sluice.hadoop.reduce.NodeShuffle";

  private final String javaVersion;
  private ShuffleConsumerPlugin<K, V> chosen;

  /** Called by the reduce task. */
  public SluiceShuffleConsumer() {
    this(JavaVersion.current());
  }

  SluiceShuffleConsumer(String javaVersion) {
    this.javaVersion = javaVersion;
  }

  @Override
  @SuppressWarnings("unchecked")
  public void init(Context<K, V> context) {
    FallbackPolicy policy = FallbackPolicy.of(context.getJobConf());
    String declined = JavaVersion.declineReason(javaVersion);
    if (declined == null) {
      try {
        ShuffleConsumerPlugin<K, V> shuffle =
            Implementation.make(ShuffleConsumerPlugin.class, IMPLEMENTATION);
        shuffle.init(context);
        chosen = shuffle;
        return;
      } catch (Declined e) {
        declined = e.getMessage();
      } catch (LinkageError e) {
        declined = Implementation.declined(e).getMessage();
      }
    }
    String refusal = policy.refusal(declined);
    if (refusal != null) {
      throw new IllegalStateException(refusal);
    }
    LOG.info("Sluice leaves this reduce to the stock shuffle: {}", declined);
    SluiceCounter.FALLBACK_REDUCE_TO_STOCK.add(context.getReporter(), 1);
    chosen = new Shuffle<>();
    chosen.init(context);
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    return chosen.run();
  }

  @Override
  public void close() {
    chosen.close();
  }
}
