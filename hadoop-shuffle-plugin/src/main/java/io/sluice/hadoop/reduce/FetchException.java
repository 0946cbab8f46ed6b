package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.regex.Pattern;

/**
 * Outputs could not be fetched from a stock ShuffleHandler; trying again, or another attempt of a
 * map, may help.
 */
final class FetchException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Its words when it knows nothing of the job, with 401. */
  private static final String UNKNOWN_JOB = "Could not find jobid";

  /** Its words when an output is in none of its directories, with 500 and the path between. */
  private static final Pattern NO_SUCH_OUTPUT =
      Pattern.compile("Could not find .* in any of the directories");

  private final Kind kind;
  private final Scope scope;
  private final boolean absent;

  /** Which outputs cannot be fetched. */
  enum Scope {
    /** All outputs of this node. */
    NODE,
    /** One of the outputs of the request; the reply does not say which. */
    REQUEST,
    /** The output that was coming. */
    OUTPUT
  }

  private FetchException(Kind kind, Scope scope, boolean absent, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.scope = scope;
    this.absent = absent;
  }

  static FetchException ofNode(Kind kind, String message, Throwable cause) {
    return new FetchException(kind, Scope.NODE, false, message, cause);
  }

  /** The bytes do not match their checksum or format, or ended too early. */
  static FetchException damaged(Scope scope, String message, Throwable cause) {
    return new FetchException(Kind.READ, scope, false, message, cause);
  }

  /**
   * The ShuffleHandler answered with another status than 200.
   *
   * @param reason the body of the answer
   */
  static FetchException refused(URL url, int status, String statusText, String reason) {
    // 500 is its answer for a single output that it cannot find.
    boolean ofNode = status != HttpURLConnection.HTTP_INTERNAL_ERROR;
    boolean absent =
        status == HttpURLConnection.HTTP_UNAUTHORIZED && reason.contains(UNKNOWN_JOB)
            || !ofNode && NO_SUCH_OUTPUT.matcher(reason).find();
    String answer = "ShuffleHandler refused " + url + ": it answered " + status + " " + statusText;
    return new FetchException(
        Kind.REFUSED,
        ofNode ? Scope.NODE : Scope.REQUEST,
        absent,
        reason.isEmpty() ? answer : answer + ", " + reason,
        null);
  }

  Kind kind() {
    return kind;
  }

  Scope scope() {
    return scope;
  }

  /** Whether the ShuffleHandler was reached, and so has answered somehow. */
  boolean isAnswer() {
    return kind == Kind.REFUSED || kind == Kind.READ;
  }

  /**
   * Whether the ShuffleHandler said in its own words that it does not have the output. Any other
   * refusal may pass, for example that of a process with too many open files.
   */
  boolean isAbsent() {
    return absent;
  }
}
