/** Jobs of Hadoop's streaming, whose tasks are programs. */
package io.sluice.local.streaming;
