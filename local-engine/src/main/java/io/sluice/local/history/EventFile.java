package io.sluice.local.history;

import java.io.Closeable;
import java.io.IOException;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.mapreduce.jobhistory.Event;
import org.apache.hadoop.mapreduce.jobhistory.HistoryEvent;

/**
 * Writes events of a job as stock's EventWriter does, whose methods are its package's own: the
 * version, the schema, and a line of JSON for each event, or all in binary.
 *
 * <p>Thread contract: one thread at a time. Ownership: closes the stream.
 */
final class EventFile implements Closeable {
  private static final String TEXT = "Avro-Json";
  private static final String BINARY = "Avro-Binary";

  private final DatumWriter<Event> writer = new SpecificDatumWriter<>(Event.class);
  private final FSDataOutputStream out;
  private final boolean isBinary;
  private final Encoder encoder;

  EventFile(FSDataOutputStream out, boolean isBinary) throws IOException {
    this.out = out;
    this.isBinary = isBinary;
    out.writeBytes((isBinary ? BINARY : TEXT) + "\n" + Event.getClassSchema() + "\n");
    this.encoder =
        isBinary
            ? EncoderFactory.get().binaryEncoder(out, null)
            : EncoderFactory.get().jsonEncoder(Event.getClassSchema(), out);
  }

  void write(HistoryEvent event) throws IOException {
    Event wrapper = new Event();
    wrapper.setType(event.getEventType());
    wrapper.setEvent(event.getDatum());
    writer.write(wrapper, encoder);
    if (!isBinary) {
      encoder.flush();
      out.writeBytes("\n");
    }
  }

  @Override
  public void close() throws IOException {
    try (out) {
      encoder.flush();
    }
  }
}
