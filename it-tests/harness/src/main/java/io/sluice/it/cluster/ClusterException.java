package io.sluice.it.cluster;

/** A daemon, a job client or an endpoint of the cluster did not do what was asked of it in time. */
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ClusterException(String message) {
    super(message);
  }

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
