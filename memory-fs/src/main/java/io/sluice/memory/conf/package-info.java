/** Settings. */
package io.sluice.memory.conf;
