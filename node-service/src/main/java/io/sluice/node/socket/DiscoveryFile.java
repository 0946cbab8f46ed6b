package io.sluice.node.socket;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file by which clients find a service, and which a cleaner of temporary directories may remove.
 * It is then made again, and that is logged. A failure to make it is logged once for each cause,
 * because it is tried often.
 *
 * <p>Thread contract: safe from any thread. Failure: none is thrown; the caller goes on.
 */
public final class DiscoveryFile {
  private static final Logger LOG = LoggerFactory.getLogger(DiscoveryFile.class);

  private final String what;
  private final String meanwhile;
  private String failure = ""; // as it was logged last
  private boolean isMissing;

  /**
   * A file that exists.
   *
   * @param what names the file and its users, for messages
   * @param meanwhile a sentence that says how these users go on while it is missing
   */
  public DiscoveryFile(String what, String meanwhile) {
    this.what = what;
    this.meanwhile = meanwhile;
  }

  /** Makes it again. */
  public interface Maker {
    /** Returns whether it was gone. */
    boolean make() throws IOException;
  }

  /**
   * What is wrong, as part of a sentence, if it was gone when this was last asked to make it again,
   * and could not be made.
   */
  public synchronized Optional<String> trouble() {
    return isMissing
        ? Optional.of("somebody has removed " + what + (failure.isEmpty() ? "" : ": " + failure))
        : Optional.empty();
  }

  /** Makes it again if it is gone. */
  public synchronized void restore(Maker maker) {
    isMissing = true;
    try {
      if (maker.make()) {
        LOG.warn(
            "Somebody had removed {}; it is there again. Exclude its directory from what removes"
                + " old temporary files",
            what);
      }
      failure = "";
      isMissing = false;
    } catch (IOException | RuntimeException e) {
      failed(e);
    } catch (Error e) {
      SafeLog.error(LOG, "Somebody has removed {}, and it cannot be made again", what, e);
    }
  }

  private void failed(Exception cause) {
    String why = ErrorText.of(cause);
    if (!why.equals(failure)) {
      failure = why;
      LOG.error(
          "Somebody has removed {}, and it cannot be made again: {}. {}", what, why, meanwhile);
    }
  }
}
