package io.sluice.hadoop.service;

import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;

/** What the auxiliary service does on a node, apart from being loaded there. */
public interface NodeRole {
  /** Begins; {@code recovers} if the NodeManager keeps its containers over a restart. */
  void start(Configuration conf, boolean recovers);

  /** What the tasks of the node are told. */
  ByteBuffer metadata();

  /** YARN starts a container of an application for a user, or has found one again. */
  void startContainer(String applicationId, String user);

  /** An application has ended. */
  void stopApplication(String applicationId);

  /** Ends. */
  void stop(boolean recovers);
}
