package io.sluice.it.lab.plugs;

import io.sluice.rdma.memory.Mapping;
import java.util.List;

/**
 * Knows the steps of an {@link io.sluice.spill.writer.OutputWriter#commit} from the order of its
 * persists: the rest of the runs, the index, the footer.
 *
 * <p>Thread contract: that of the writer.
 */
final class WriterSteps implements SteppingMedium.Observer {
  private static final List<Step> ORDER =
      List.of(Step.RUNS_PERSISTED, Step.INDEX_PERSISTED, Step.FOOTER_PERSISTED);

  private final Step.Listener listener;
  private int done = ORDER.size();

  WriterSteps(Step.Listener listener) {
    this.listener = listener;
  }

  /** The writer, which has written something, is about to commit. */
  void commitBegins() {
    done = 0;
  }

  @Override
  public void persisted(Mapping mapping, int offsetBytes, int lengthBytes) {
    if (done < ORDER.size()) {
      listener.reached(ORDER.get(done++));
    }
  }
}
