package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.transport.Ticket;

/**
 * The bytes on the wire, big-endian.
 *
 * <p>The client first sends a hello with its versions and its ticket. The server answers with a
 * welcome and the highest version of both sides. Hello and welcome are the same in all versions. A
 * server with no common version sends its newest:
 *
 * <pre>
 *   0           4             6            8                       24
 *   +-----------+-------------+------------+-----------------------+
 *   | MAGIC     | newest      | oldest     | ticket                |   hello
 *   +-----------+-------------+------------+-----------------------+
 *   | MAGIC     | version     | verdict    |                           welcome
 *   +-----------+-------------+------------+
 * </pre>
 *
 * <p>Then the client sends requests, any number at once; the server answers them in order:
 *
 * <pre>
 *   0            8            16           24           32           36
 *   +------------+------------+------------+------------+------------+
 *   | requestId  | regionId   | key        | offset     | length     |
 *   +------------+------------+------------+------------+------------+
 * </pre>
 *
 * <p>A response is a header and {@code length} bytes: the data if the status is {@link #STATUS_OK},
 * else a message in UTF-8 of at most {@link #MAX_MESSAGE_BYTES}.
 *
 * <pre>
 *   0            8            12           16
 *   +------------+------------+------------+----------------- - -
 *   | requestId  | status     | length     | data or message
 *   +------------+------------+------------+----------------- - -
 * </pre>
 *
 * <p>A stream that ends within a response, or deviates in another way, ends the connection and
 * fails all its reads.
 */
final class TcpProtocol {
  static final int MAGIC = 0x534C5452; // "SLTR"

  /** The oldest version that is still spoken. */
  static final short OLDEST = 2;

  static final short VERSION = 2;

  static final int HELLO_MAGIC_OFFSET = 0;
  static final int HELLO_VERSION_OFFSET = HELLO_MAGIC_OFFSET + Integer.BYTES;
  static final int HELLO_OLDEST_OFFSET = HELLO_VERSION_OFFSET + Short.BYTES;
  static final int HELLO_VERDICT_OFFSET = HELLO_OLDEST_OFFSET;
  static final int WELCOME_BYTES = HELLO_VERDICT_OFFSET + Short.BYTES;
  static final int HELLO_TICKET_OFFSET = WELCOME_BYTES;
  static final int HELLO_BYTES = HELLO_TICKET_OFFSET + Ticket.LENGTH_BYTES;

  static final short VERDICT_WELCOME = 0;
  static final short VERDICT_FULL = 1;
  static final short VERDICT_OTHER_VERSION = 2;
  static final short VERDICT_NOT_EXPECTED = 3;

  static final int REQUEST_ID_OFFSET = 0;
  static final int REQUEST_REGION_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;
  static final int REQUEST_KEY_OFFSET = REQUEST_REGION_OFFSET + Long.BYTES;
  static final int REQUEST_RANGE_OFFSET = REQUEST_KEY_OFFSET + Long.BYTES;
  static final int REQUEST_LENGTH_OFFSET = REQUEST_RANGE_OFFSET + Long.BYTES;
  static final int REQUEST_BYTES = REQUEST_LENGTH_OFFSET + Integer.BYTES;

  static final int RESPONSE_ID_OFFSET = 0;
  static final int RESPONSE_STATUS_OFFSET = RESPONSE_ID_OFFSET + Long.BYTES;
  static final int RESPONSE_LENGTH_OFFSET = RESPONSE_STATUS_OFFSET + Integer.BYTES;
  static final int RESPONSE_HEADER_BYTES = RESPONSE_LENGTH_OFFSET + Integer.BYTES;

  static final int STATUS_OK = 0;
  static final int STATUS_REFUSED = 1;
  static final int MAX_MESSAGE_BYTES = 512;

  private TcpProtocol() {}
}
