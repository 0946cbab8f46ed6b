package io.sluice.hadoop.service;

import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** What the auxiliary service does on a node, apart from being loaded there. */
public interface NodeRole {
  /**
   * Begins.
   *
   * @param recoveryPath where the NodeManager has its auxiliary service keep what it needs after a
   *     restart over which it keeps its containers; null if it does not
   */
  void start(Configuration conf, Path recoveryPath);

  /** What the tasks of the node are told. */
  ByteBuffer metadata();

  /** YARN starts a container of an application for a user, or has found one again. */
  void startContainer(String applicationId, String user);

  /** An application has ended. */
  void stopApplication(String applicationId);

  /** Ends; {@code recovers} if the NodeManager keeps its containers over a restart. */
  void stop(boolean recovers);
}
