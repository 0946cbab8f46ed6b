package io.sluice.hadoop.local;

import io.sluice.hadoop.entry.Implementation;
import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;

/**
 * The entry of the in-process engine: jobs with {@code mapreduce.framework.name=sluice} run in the
 * client's own JVM.
 *
 * <p>Hadoop's clients look for all providers, whatever their job's framework, so this is Java 8
 * bytecode, as {@link JavaVersion} says. Thread contract: safe from any thread. Failure: {@link
 * IOException} that says why the engine does not run here.
 */
public final class SluiceClientProtocolProvider extends ClientProtocolProvider {
  /** The value of {@link MRConfig#FRAMEWORK_NAME}. */
  public static final String FRAMEWORK = "sluice";

  private static final String IMPLEMENTATION = "io.sluice.local.client.LocalEngine";

  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    if (!FRAMEWORK.equals(conf.get(MRConfig.FRAMEWORK_NAME))) {
      return null;
    }
    String declined = JavaVersion.declineReason(JavaVersion.current());
    if (declined != null) {
      throw new IOException("no job runs in this process: " + declined);
    }
    try {
      return Implementation.make(ClientProtocol.class, IMPLEMENTATION, conf);
    } catch (Declined e) {
      throw new IOException("no job runs in this process: " + e.getMessage(), e);
    }
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) {
    return null; // it has none
  }

  @Override
  public void close(ClientProtocol engine) {
    // Its jobs go on, as on a cluster.
  }
}
