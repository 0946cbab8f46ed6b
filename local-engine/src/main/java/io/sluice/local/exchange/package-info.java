/** How reduces get at what maps of the same process have put out. */
package io.sluice.local.exchange;
