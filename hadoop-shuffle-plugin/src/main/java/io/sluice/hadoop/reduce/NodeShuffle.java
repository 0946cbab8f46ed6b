package io.sluice.hadoop.reduce;

import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.shuffle.SluiceShuffleConsumer;
import io.sluice.hadoop.task.JobEligibility;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;

/**
 * The shuffle of a reduce task that reads from nodes' pools. Some map outputs may still come from
 * stock ShuffleHandlers.
 *
 * <p>Thread contract: called by the reduce task's thread. Ownership: {@link SluiceShuffleConsumer}
 * closes it after a successful reduce only; a failed attempt ends with its process. Failure: {@link
 * #init} throws {@link Declined} for jobs that Sluice leaves alone.
 */
final class NodeShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
  private Context<K, V> context;
  private ReduceShuffle shuffle;

  @Override
  public void init(Context<K, V> context) {
    this.context = context;
    Optional<String> declined =
        context.getLocalMapFiles() != null
            ? Optional.of("the map outputs are files of this very process")
            : JobEligibility.declineReason(
                context.getJobConf(), context.getReduceTask().getShuffleSecret());
    if (declined.isPresent()) {
      throw new Declined(declined.get());
    }
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    shuffle = new ReduceShuffle(context, System.getenv());
    return shuffle.run();
  }

  @Override
  public void close() {
    if (shuffle != null) {
      shuffle.closeFinished();
    }
  }
}
