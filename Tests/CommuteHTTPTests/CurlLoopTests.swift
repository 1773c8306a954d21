#if os(Linux)
  import Testing

  @testable import CommuteHTTP

  @Suite struct CurlLoopTests {
    @Test func `a transfer that was cancelled before it arrived is never begun`() async throws {
      let seen = Seen()
      let handler: HTTPServer.Handler = { request, _ in
        seen.add(request.url)
        return HTTPResponse(status: 204)
      }
      try await withServer(handler: handler) { server in
        let loop = CurlLoop(connectionsPerHost: 1)
        loop.start()
        let late = try transfer(to: server.url("/late"))
        loop.cancel(late)
        // Whatever was ordered before this one is done when it is.
        let other = await outcome(of: try transfer(to: server.url("/other")), in: loop)
        let answer = try other.get()
        #expect(answer.status == 204)
        let cancelled = await outcome(of: late, in: loop)
        #expect(cancelled == .failure(.cancelled))
        loop.stop()
      }
      #expect(seen.urls == ["/other"])
    }

    @Test func `a loop that was stopped takes nothing on`() async throws {
      let loop = CurlLoop(connectionsPerHost: 1)
      loop.start()
      loop.stop()
      let transfer = try transfer(to: "http://127.0.0.1:1/")
      let outcome = await outcome(of: transfer, in: loop)
      #expect(outcome == .failure(.noNetwork(.outOfResources)))
    }

    private func transfer(to url: String) throws -> CurlTransfer {
      CurlTransfer(HTTPRequest(url: url), to: try Address(url), settings: HTTPClientSettings())
    }

    private func outcome(of transfer: CurlTransfer, in loop: CurlLoop) async -> CurlLoop.Outcome {
      await withCheckedContinuation { loop.run(transfer, $0) }
    }
  }
#endif
